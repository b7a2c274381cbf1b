internal import FerryCore
internal import Testing

extension PartFileSystemSuite {
    func writesInAnyOrder() async throws {
        let file = try await fileSystem.createNamedPart(at: place())
        try file.write([9, 9], at: 8)
        try file.write([1, 2], at: 0)
        try file.write([], at: 100)
        #expect(try await file.read(0..<10) == [1, 2, 0, 0, 0, 0, 0, 0, 9, 9])
        try file.write([5], at: 1)
        #expect(try await file.read(0..<3) == [1, 5, 0])
        await file.close()
    }

    func writesAllAtOnce() async throws {
        let file = try await fileSystem.createNamedPart(at: place())
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let half = bytes.count / 2
        try await file.write(all: Array(bytes[..<half]), at: 0)
        try await file.write(all: Array(bytes[half...]), at: Int64(half))
        try await file.write(all: [], at: 0)
        #expect(try await file.read(0..<Int64.max) == bytes)
        await file.close()
    }

    func writesAWholeFile() async throws {
        for (name, isWrittenLater) in [("first.bin", true), ("second.bin", false)] {
            let place = try place(name)
            let file = try await fileSystem.createPart(at: place, holding: isWrittenLater ? nil : [1, 2, 3])
            // A file that got its name at once is empty.
            if isWrittenLater || file.isNamed { try await file.write(whole: [1, 2, 3]) }
            #expect(try await file.read(0..<10) == [1, 2, 3])
            // It may do nothing by now.
            try await file.synchronize()
            try await file.publish(as: place.name, replacing: false)
            #expect(try stage.contents(of: place.name) == [1, 2, 3])
        }
    }

    func writesPastFourGibibytes() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        let far = Int64(1) << 32 + 4090
        let bytes = (0..<100).map { UInt8($0) }
        try file.write(bytes, at: far)
        #expect(try await file.read(far..<far + 100) == bytes)
        #expect(try await file.read(4090..<4100) == [UInt8](repeating: 0, count: 10))
        #expect(try await fileSystem.survey(place).part?.length == far + 100)
        await file.close()
    }

    func readsNoFurtherThanTheEnd() async throws {
        let file = try await fileSystem.createNamedPart(at: place())
        try file.write([1, 2, 3], at: 0)
        #expect(try await file.read(1..<Int64.max) == [2, 3])
        #expect(try await file.read(3..<10) == [])
        #expect(try await file.read(50..<60) == [])
        #expect(try await file.read(1..<1) == [])
        await file.close()
    }

    func cutsOffWhatLiesBehind() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([1, 2, 3, 4], at: 0)
        for length in [4, 2, 2] as [Int64] { try await file.cut(behind: length) }
        #expect(try await file.read(0..<10) == [1, 2])
        await expect(.partFileLost) { try await file.cut(behind: 3) }
        try await file.cut(behind: 0)
        #expect(try await fileSystem.survey(place).part?.length == 0)
        await file.close()
    }

    func reservesWithoutChangingAnything() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([1, 2, 3], at: 0)
        for length in [0, 1, 1 << 20, 3 << 20] as [Int64] { try await file.reserve(length) }
        #expect(try await file.read(0..<10) == [1, 2, 3])
        #expect(try await fileSystem.survey(place).part?.length == 3)
        await file.close()
    }

    func refusesToReserveMoreThanIsFree() async throws {
        let file = try await fileSystem.createNamedPart(at: place())
        for length in [Int64.max / 2, Int64.max] {
            let problem = await expect(.diskFull) { try await file.reserve(length) }
            guard case .condition(.diskSpace(let needed)) = problem?.problem.disposition else {
                Issue.record("\(String(describing: problem))")
                continue
            }
            #expect(needed == length)
        }
        await file.close()
    }

    func digestsKnownVectors() async throws {
        // Examples from FIPS 180-4, and lengths on both sides of a block.
        let vectors: [(text: String, sha256: String, sha512: String)] = [
            (
                "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                    + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
            ),
        ]
        let file = try await fileSystem.createNamedPart(at: place())
        for vector in vectors {
            let bytes = Array(vector.text.utf8)
            // Bytes after the length are not part of the digest.
            try file.write(bytes + [0xFF], at: 0)
            let length = Int64(bytes.count)
            #expect(try await file.digest(.sha256, length: length).hex == vector.sha256)
            #expect(try await file.digest(.sha512, length: length).hex == vector.sha512)
        }
        try await digestsTheCheckString(file)
        for length in [0, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 129] {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try file.write(bytes, at: 0)
            for algorithm in Checksum.Algorithm.allCases {
                let expected = ReferenceDigest.digest(algorithm, of: bytes)
                #expect(try await file.digest(algorithm, length: Int64(length)) == expected)
                let inner = length / 3..<length
                let part = ReferenceDigest.digest(algorithm, of: Array(bytes[inner]))
                let found = try await file.digest(algorithm, of: Int64(inner.lowerBound)..<Int64(length))
                #expect(found == part)
            }
        }
        await file.close()
    }

    /// The digest computed ahead is the same for any order of writes and any number of truncations.
    func digestsAheadWhatComesInAnyOrder() async throws {
        var random = SeededRandom(seed: 11)
        for round in 0..<12 {
            let name = try FileName(userGiven: "ahead-\(round)")
            let file = try await fileSystem.createNamedPart(
                at: FilePlace(directory: place().directory, name: name)
            )
            let bytes = (0..<60_000).map { _ in UInt8.random(in: 0...255, using: &random) }
            let algorithm = Checksum.Algorithm.allCases[round % Checksum.Algorithm.allCases.count]
            await file.digestAhead(algorithm, upTo: 0)
            if round.isMultiple(of: 3) {
                try file.write([UInt8](repeating: 1, count: 20_000), at: 0)
                await file.digestAhead(algorithm, upTo: 20_000)
                try await file.cut(behind: 0)
            }
            // Two connections, each in order.
            var (first, second) = (0, 30_000)
            while first < 30_000 || second < 60_000 {
                let isFirst = second == 60_000 || (first < 30_000 && Bool.random(using: &random))
                let start = isFirst ? first : second
                let end = min(start + .random(in: 1...9_000, using: &random), isFirst ? 30_000 : 60_000)
                try file.write(Array(bytes[start..<end]), at: Int64(start))
                if isFirst { first = end } else { second = end }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    await file.digestAhead(algorithm, upTo: Int64(first == 30_000 ? second : first))
                }
            }
            #expect(
                try await file.digest(algorithm, length: 60_000)
                    == ReferenceDigest.digest(algorithm, of: bytes)
            )
            await file.close()
        }
    }

    /// The catalogued digests of these algorithms for the nine digits.
    private func digestsTheCheckString(_ file: any PartFile) async throws {
        let digests: [Checksum.Algorithm: String] = [
            .sha384: "eb455d56d2c1a69de64e832011f3393d45f3fa31d6842f21af92d2fe469c499d"
                + "a5e3179847334a18479c8d1dedea1be3",
            .sha1: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
            .md5: "25f9e794323b453885f5181f1b624d0b",
            .crc64nvme: "ae8b14860a799888",
            .crc64ecma: "995dc9bbdf1939fa",
            .crc32c: "e3069283",
            .crc32: "cbf43926",
        ]
        try file.write(Array("123456789".utf8), at: 0)
        for (algorithm, digest) in digests {
            #expect(try await file.digest(algorithm, length: 9).hex == digest, "\(algorithm)")
        }
    }

    func refusesToDigestWhatIsNotThere() async throws {
        let file = try await fileSystem.createNamedPart(at: place())
        try file.write([1, 2, 3], at: 0)
        await expect(.partFileLost) { _ = try await file.digest(.sha256, length: 4) }
        await expect(.partFileLost) { _ = try await file.digest(.sha256, of: 2..<4) }
        await file.close()
    }

    func refusesUseAfterClosing() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        try await file.synchronize()
        await file.close()
        await file.close()
        await expect(.internalFault) { try file.write([2], at: 0) }
        await expect(.internalFault) { _ = try await file.read(0..<1) }
        await expect(.internalFault) { try await file.cut(behind: 0) }
        await expect(.internalFault) { try await file.synchronize() }
        await expect(.internalFault) { try await file.publish(as: place.name, replacing: true) }
        #expect(try stage.contents(of: place.part) == [1])
    }
}
