import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO
@testable import FerrySealed

/// Part files whose bytes are sealed as they arrive.
@Suite struct SealedPartFileTests {
    private static let chunk = Int(PartSeal.chunkLength)

    private static func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761 &+ seed) >> 7) }
    }

    /// A directory, and a file system that keeps its keys beside it.
    private final class Stage {
        let directory: PartFileDirectory
        let files: POSIXPartFileSystem
        let place: FilePlace
        let identity: X25519Identity
        let recipient: String

        init() throws {
            directory = try PartFileDirectory()
            files = POSIXPartFileSystem(threads: PartFileDirectory.threads, keyDirectory: directory.root)
            place = try directory.place()
            identity = try #require(X25519Identity(Array(1...32)))
            recipient = identity.recipient.description
        }

        func begin() async throws -> any PartFile {
            let file = try await files.createPart(at: place)
            try await file.takeName()
            return try await files.sealing(file, for: [recipient], resuming: nil)
        }

        func resume(_ identity: FileIdentity, _ seal: PartSeal?) async throws -> any PartFile {
            let file = try await files.openPart(at: place, identity: identity)
            return try await files.sealing(file, for: [recipient], resuming: seal)
        }

        var raw: [UInt8] {
            get throws { Array(try Data(contentsOf: URL(fileURLWithPath: place.partPath))) }
        }

        /// The bytes in clear of the file, opened in order with the identity.
        func opened() throws -> [UInt8] {
            let raw = try raw
            let header = try SealedHeader(reading: raw)
            let nonce = Array(raw[header.length..<(header.length + SealedPreamble.nonceLength)])
            let preamble = try SealedPreamble(opening: header, nonce: nonce, with: [.key(identity)])
            var opener = StreamOpener(preamble.key)
            let text = try opener.take(raw[(header.length + SealedPreamble.nonceLength)...])
            return try text + opener.finish()
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to file: any PartFile) throws {
        let offset = Int64(bytes.startIndex)
        let copy = Array(bytes)
        try file.write(copy.span.bytes, at: offset)
    }

    /// Nothing, one byte, a chunk less, whole or more, several chunks.
    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 300_001], [true, false])
    func whatIsWrittenInOrderIsOpened(length: Int, isExpected: Bool) async throws {
        let stage = try Stage()
        let text = Self.bytes(length)
        let file = try await stage.begin()
        if isExpected { file.expect(Int64(length)) }
        for start in stride(from: 0, to: length, by: 10_007) {
            try Self.write(text[start..<min(start + 10_007, length)], to: file)
        }
        try await file.cut(behind: Int64(length))
        let seal = try #require(file.seal)
        #expect(try Int64(stage.raw.count) == seal.fileLength(of: Int64(length)))
        #expect(seal.length(ofFile: Int64(try stage.raw.count)) == Int64(length))
        #expect(try stage.opened() == text)
        #expect(try await file.read(0..<Int64(length + 5)) == text)
        let digest = try await file.digest(.sha256, length: Int64(length))
        var plain = Digester(.sha256)
        text.withUnsafeBytes { plain.update($0) }
        #expect(digest == plain.checksum)
        await file.close()
    }

    /// Several connections write side by side, each from a chunk on.
    @Test func piecesMayComeInAnyOrder() async throws {
        let stage = try Stage()
        let text = Self.bytes(7 * Self.chunk + 123)
        let file = try await stage.begin()
        file.expect(Int64(text.count))
        var places = [0, 2 * Self.chunk, 5 * Self.chunk]
        let ends = [2 * Self.chunk, 5 * Self.chunk, text.count]
        var random = SeededRandom(seed: 7)
        while let turn = (0..<3).filter({ places[$0] < ends[$0] }).randomElement(using: &random) {
            let next = min(places[turn] + Int.random(in: 1...90_000, using: &random), ends[turn])
            try Self.write(text[places[turn]..<next], to: file)
            places[turn] = next
        }
        #expect(try await file.read(0..<Int64(text.count)) == text)
        try await file.cut(behind: Int64(text.count))
        #expect(try stage.opened() == text)
        // No run of the text is in the file.
        let raw = Data(try stage.raw)
        for start in stride(from: 0, to: text.count - 16, by: 60_000) {
            #expect(raw.firstRange(of: Data(text[start..<(start + 16)])) == nil)
        }
        await file.close()
    }

    @Test func aFileIsResumedFromAChunkOn() async throws {
        let stage = try Stage()
        let text = Self.bytes(4 * Self.chunk + 9)
        let first = try await stage.begin()
        first.expect(Int64(text.count))
        // The third chunk is on the disk, and no row knows it.
        try Self.write(text[..<(3 * Self.chunk + 50)], to: first)
        let seal = first.seal
        await first.close()
        let second = try await stage.resume(first.identity, seal)
        second.expect(Int64(text.count))
        try Self.write(text[(2 * Self.chunk)...], to: second)
        try await second.cut(behind: Int64(text.count))
        #expect(try stage.opened() == text)
        await second.close()
        // It was killed after the last chunk was sealed, and before the row knew.
        let third = try await stage.resume(first.identity, seal)
        try Self.write(text[(4 * Self.chunk)...], to: third)
        try await third.cut(behind: Int64(text.count))
        #expect(try stage.opened() == text)
        await third.close()
        let fourth = try await stage.resume(first.identity, seal)
        try await fourth.cut(behind: Int64(text.count))
        await fourth.close()
    }

    @Test func aPreambleThatWasDamagedIsRestored() async throws {
        let stage = try Stage()
        let text = Self.bytes(Self.chunk + 5)
        let first = try await stage.begin()
        first.expect(Int64(text.count))
        try Self.write(text[..<Self.chunk], to: first)
        await first.close()
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: stage.place.partPath))
        try handle.write(contentsOf: Data(repeating: 0, count: 150))
        let second = try await stage.resume(first.identity, first.seal)
        try handle.seek(toOffset: 20)
        try handle.write(contentsOf: Data(repeating: 0, count: 9))
        try handle.close()
        second.expect(Int64(text.count))
        try Self.write(text[Self.chunk...], to: second)
        try await second.cut(behind: Int64(text.count))
        #expect(try stage.opened() == text)
        await second.close()
    }

    @Test func aDamagedChunkIsToldFromOtherFaults() async throws {
        let stage = try Stage()
        let text = Self.bytes(2 * Self.chunk + 5)
        let first = try await stage.begin()
        first.expect(Int64(text.count))
        try Self.write(text[...], to: first)
        try await first.cut(behind: Int64(text.count))
        await first.close()
        let file = try await stage.resume(first.identity, first.seal)
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: stage.place.partPath))
        let length = try #require(first.seal?.preambleLength)
        // The first chunk, and the last one.
        for place in [length + 7, length + 2 * ChunkMap.sealedChunkLength + 1] {
            try handle.seek(toOffset: UInt64(place))
            let byte = try #require(try handle.read(upToCount: 1)?.first)
            try handle.seek(toOffset: UInt64(place))
            try handle.write(contentsOf: Data([byte ^ 1]))
        }
        try handle.close()
        let digest = await #expect(throws: StorageProblem.self) {
            try await file.digest(.sha256, length: Int64(text.count))
        }
        #expect(digest == .sealedBytesDamaged)
        let end = await #expect(throws: StorageProblem.self) {
            try await file.cut(behind: Int64(text.count))
        }
        #expect(end == .sealedBytesDamaged)
        await file.close()
    }

    /// Two texts under one key would reveal each other.
    @Test func otherBytesAreNeverSealedAsTheSameChunk() async throws {
        let stage = try Stage()
        let text = Self.bytes(2 * Self.chunk + 9)
        var other = text
        other[Self.chunk + 3] ^= 1
        other[2 * Self.chunk + 3] ^= 1
        let first = try await stage.begin()
        first.expect(Int64(text.count))
        try Self.write(text[...], to: first)
        try await first.cut(behind: Int64(text.count))
        await first.close()
        let raw = try stage.raw
        let second = try await stage.resume(first.identity, first.seal)
        second.expect(Int64(text.count))
        let problem = #expect(throws: StorageProblem.self) {
            try Self.write(other[Self.chunk...], to: second)
        }
        #expect(problem?.problem.failure.code == .resourceChanged)
        await second.close()
        let last = try await stage.resume(first.identity, first.seal)
        try Self.write(other[(2 * Self.chunk)...], to: last)
        let shorter = await #expect(throws: StorageProblem.self) {
            try await last.cut(behind: Int64(text.count))
        }
        #expect(shorter?.problem.failure.code == .resourceChanged)
        #expect(try stage.raw == raw)
        await last.close()
    }

    @Test func withoutItsKeyAFileIsNotResumed() async throws {
        let stage = try Stage()
        let file = try await stage.begin()
        await file.close()
        let path = stage.directory.root + "/seal.key"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let key = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(key.count == 32)
        try Data(key.reversed()).write(to: URL(fileURLWithPath: path))
        await #expect(throws: StorageProblem.self) { try await stage.resume(file.identity, file.seal) }
        try Data("short".utf8).write(to: URL(fileURLWithPath: path))
        await #expect(throws: StorageProblem.self) { try await stage.begin() }
    }

    @Test(arguments: ["", "age1", "AGE-SECRET-KEY-1QQQ", "ssh-ed25519 AAAA"])
    func aRecipientThatIsNoneIsRefused(text: String) async throws {
        let stage = try Stage()
        let file = try await stage.files.createPart(at: stage.place)
        await #expect(throws: StorageProblem.self) {
            try await stage.files.sealing(file, for: [text], resuming: nil)
        }
        await file.close()
    }
}
