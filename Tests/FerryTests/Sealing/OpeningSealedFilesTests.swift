import Ferry
import FerrySealed
import Foundation
import Testing

@Suite("A sealed file is opened by the library")
struct OpeningSealedFilesTests {
    private static let chunk = 64 << 10
    private let folder = SealedFolder()
    private let identity = SealingIdentity()

    /// Bytes that differ from chunk to chunk.
    private func text(_ length: Int) -> [UInt8] {
        (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8 &+ $0 >> 16) }
    }

    @Test(
        "every length is opened whole, and its length is known",
        arguments: [0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 7]
    )
    func opensEveryLength(length: Int) async throws {
        let text = text(length)
        let path = try folder.seal(text, to: [identity])
        let file = try await SealedFile.open(path, with: [SealingIdentity(), identity])
        #expect(file.length == Int64(length))
        #expect(try await file.read(0..<file.length) == text)
        try await file.save(in: folder.path, as: FileName(userGiven: "clear"))
        #expect(try folder.bytes(of: "clear") == text)
    }

    @Test("a range across the borders of chunks is the bytes of the range, and what lies outside is left out")
    func readsRanges() async throws {
        let text = text(3 * Self.chunk + 7)
        let file = try await SealedFile.open(folder.seal(text, to: [identity]), with: [identity])
        for border in [Self.chunk, 2 * Self.chunk, 3 * Self.chunk] {
            for range in [border - 1..<border, border..<border + 1, border - 3..<border + 4] {
                let read = try await file.read(Int64(range.lowerBound)..<Int64(range.upperBound))
                #expect(read == Array(text[range]), "\(range)")
            }
        }
        #expect(try await file.read(-5..<3) == Array(text[..<3]))
        #expect(try await file.read(file.length - 2..<file.length + 100) == Array(text.suffix(2)))
        #expect(try await file.read(file.length..<file.length + 1) == [])
        #expect(try await file.read(9..<9) == [])
    }

    /// A payload with three sections, each of which begins on a chunk.
    private func sectioned(_ header: SectionedHeader, _ sections: [(Section, [UInt8])]) -> [UInt8] {
        var payload = header.encoded
        for (section, bytes) in sections {
            guard let range = header.range(of: section) else { continue }
            payload += [UInt8](repeating: 0, count: Int(range.lowerBound) - payload.count) + bytes
        }
        return payload
    }

    @Test("a section is read without the others, also beside a damaged one")
    func readsSections() async throws {
        let (thumbnail, data) = (text(Self.chunk + 9), text(Self.chunk + 1))
        let header = SectionedHeader(metadata: 0, thumbnail: thumbnail, data: Int64(data.count))
        let payload = sectioned(header, [(.thumbnail, thumbnail), (.data, data)])
        let path = try folder.seal(payload, to: [identity])
        let whole = try await SealedFile.open(path, with: [identity])
        #expect(try await whole.range(of: .metadata).isEmpty)
        #expect(try await whole.read(whole.range(of: .thumbnail)) == thumbnail)
        #expect(try await whole.read(whole.range(of: .data)) == data)

        var sealed = try folder.bytes(of: "sealed.age")
        // The first chunk of the data. The last one has a byte.
        sealed[sealed.count - (1 + 16) - (Self.chunk + 16) + 5] ^= 1
        let damaged = try await SealedFile.open(folder.write(sealed, as: "damaged.age"), with: [identity])
        #expect(try await damaged.read(damaged.range(of: .thumbnail)) == thumbnail)
        let failure = try await #require(throws: SealedFileError.self) {
            _ = try await damaged.read(damaged.range(of: .data))
        }
        #expect(failure.code == .damaged)
    }

    @Test("a file without sections, and one whose thumbnail is another, are read as a whole only")
    func refusesOtherSections() async throws {
        let header = SectionedHeader(metadata: 0, thumbnail: text(9), data: 0)
        let other = sectioned(header, [(.thumbnail, Array(text(9).reversed()))])
        for payload in [text(0), text(200), other] {
            let path = try folder.seal(payload, to: [identity])
            let file = try await SealedFile.open(path, with: [identity])
            let failure = try await #require(throws: SealedFileError.self) {
                _ = try await file.range(of: .thumbnail)
            }
            #expect(failure.code == .unsupported && failure.message.contains(path))
            #expect(try await file.read(0..<file.length) == payload)
        }
    }

    @Test("a damaged chunk keeps back only the ranges that need it")
    func readsAroundDamage() async throws {
        let text = text(3 * Self.chunk)
        let path = try folder.seal(text, to: [identity])
        var sealed = try folder.bytes(of: "sealed.age")
        // The second chunk of three.
        sealed[sealed.count - 2 * (Self.chunk + 16) + 5] ^= 1
        try folder.write(sealed, as: "sealed.age")
        let file = try await SealedFile.open(path, with: [identity])
        #expect(try await file.read(0..<10) == Array(text[..<10]))
        let failure = try await #require(throws: SealedFileError.self) {
            _ = try await file.read(Int64(Self.chunk) - 1..<Int64(Self.chunk) + 1)
        }
        #expect(failure.code == .damaged)
        #expect(failure.message.contains("Chunk 2 was changed") && failure.message.contains(path))
        await #expect(throws: failure) {
            try await file.save(in: folder.path, as: FileName(userGiven: "clear"))
        }
        #expect(try folder.names() == ["sealed.age"])
    }

    /// What is done to the bytes of a sealed file with three chunks.
    private static let damages: [(name: String, change: @Sendable (inout [UInt8]) -> Void)] = [
        ("cut within the last chunk", { $0.removeLast() }),
        ("cut after a chunk", { $0.removeLast(chunk + 16) }),
        ("cut before the first chunk", { $0.removeLast(3 * (chunk + 16)) }),
        ("cut within the nonce", { $0.removeLast(3 * (chunk + 16) + 1) }),
        ("extended", { $0.append(0) }),
        (
            "reordered",
            { bytes in
                let (size, end) = (chunk + 16, bytes.count)
                bytes[(end - 2 * size)...] = bytes[(end - size)...] + bytes[(end - 2 * size)..<(end - size)]
            }
        ),
        ("with the code of its header changed", { $0[$0.firstIndex(of: 0x0A)! + 110] ^= 1 }),
    ]

    @Test("what was cut, reordered, extended or changed is not opened", arguments: damages.indices)
    func refusesDamage(index: Int) async throws {
        let path = try folder.seal(text(3 * Self.chunk), to: [identity])
        var sealed = try folder.bytes(of: "sealed.age")
        Self.damages[index].change(&sealed)
        try folder.write(sealed, as: "sealed.age")
        let failure = await #expect(throws: SealedFileError.self) {
            _ = try await SealedFile.open(path, with: [identity])
        }
        #expect([.damaged, .notSealed, .wrongKey].contains(failure?.code), "\(Self.damages[index].name)")
    }

    @Test("the chunks of another file are refused")
    func refusesForeignChunks() async throws {
        _ = try folder.seal(text(2 * Self.chunk), to: [identity])
        let first = try folder.bytes(of: "sealed.age")
        let path = try folder.seal(text(2 * Self.chunk), to: [identity])
        let second = try folder.bytes(of: "sealed.age")
        let payload = 2 * (Self.chunk + 16)
        try folder.write(Array(first.dropLast(payload) + second.suffix(payload)), as: "sealed.age")
        let failure = await #expect(throws: SealedFileError.self) {
            _ = try await SealedFile.open(path, with: [identity])
        }
        #expect(failure?.code == .damaged)
    }

    @Test("another identity opens nothing, and the message tells what to do")
    func refusesOtherIdentities() async throws {
        let path = try folder.seal(text(10), to: [identity])
        for identities in [[], [SealingIdentity()]] {
            let failure = await #expect(throws: SealedFileError.self) {
                _ = try await SealedFile.open(path, with: identities)
            }
            #expect(failure?.code == .wrongKey)
            #expect(failure?.message.hasSuffix("Give an identity of one of its recipients.") == true)
        }
    }

    @Test("a passphrase opens what is sealed with it")
    func opensWithPassphrase() async throws {
        let path = try folder.seal(text(100), with: "correct horse")
        let file = try await SealedFile.open(path, passphrase: "correct horse")
        #expect(try await file.read(10..<20) == Array(text(100)[10..<20]))
        for attempt in ["wrong", ""] {
            let failure = await #expect(throws: SealedFileError.self) {
                _ = try await SealedFile.open(path, passphrase: attempt)
            }
            #expect(failure?.code == (attempt.isEmpty ? .invalidKey : .wrongKey))
        }
        let failure = await #expect(throws: SealedFileError.self) {
            _ = try await SealedFile.open(path, with: [identity])
        }
        #expect(failure?.code == .wrongKey)
    }

    @Test("what is no sealed file, is in armor, or is no file at all, is told apart")
    func refusesOtherFiles() async throws {
        try folder.write(Array("plain text".utf8), as: "plain")
        try folder.write(Array("\n-----BEGIN AGE ENCRYPTED FILE-----\n".utf8), as: "armored")
        try folder.write([], as: "empty")
        for (name, code) in [
            ("plain", SealedFileError.Code.notSealed), ("armored", .unsupported), ("empty", .notSealed),
        ] {
            let failure = await #expect(throws: SealedFileError.self) {
                _ = try await SealedFile.open("\(folder.path)/\(name)", with: [identity])
            }
            #expect(failure?.code == code, "\(name)")
        }
        for path in ["\(folder.path)/absent", folder.path] {
            await #expect(throws: StorageProblem.self) {
                _ = try await SealedFile.open(path, with: [identity])
            }
        }
    }

    @Test("a name that is taken is replaced only on request")
    func keepsExistingFiles() async throws {
        let file = try await SealedFile.open(folder.seal(text(10), to: [identity]), with: [identity])
        try folder.write([1], as: "clear")
        let name = try FileName(userGiven: "clear")
        await #expect(throws: StorageProblem.self) { try await file.save(in: folder.path, as: name) }
        #expect(try folder.bytes(of: "clear") == [1])
        try await file.save(in: folder.path, as: name, replacesExisting: true)
        #expect(try folder.bytes(of: "clear") == text(10))
    }
}
