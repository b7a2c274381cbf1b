import FerryCore
import FerryTesting
import Testing

struct ListFileTests {
    @Test func readsTransfersMirrorsAndOptions() throws {
        let digest = String(repeating: "ab", count: 32)
        let list = try ListFile(
            parsing: """
                # a comment
                https://a.example/x

                https://b.example/y\thttps://c.example/y\t
                \u{20} out=sub/name with spaces
                \tdir=/tmp
                  # another comment
                  checksum=sha-256=\(digest)
                  header=X-A: b=c
                  header=X-D: e
                  out = other
                https://d.example/z
                """
        )
        #expect(list.entries.map(\.line) == [2, 4, 12])
        #expect(
            list.entries.map { $0.urls.map(\.host) } == [
                ["a.example"], ["b.example", "c.example"], ["d.example"],
            ]
        )
        let entry = list.entries[1]
        #expect(entry.output == "other")
        #expect(entry.directory == "/tmp")
        #expect(entry.checksum?.hex == digest)
        #expect(entry.headers.map(\.value) == ["b=c", "e"])
        #expect(list.entries[0].output == nil && list.entries[2].headers.isEmpty)
    }

    @Test(arguments: ["", "\n\n", "#x", "\u{FEFF}", "\r\n \r\n\t\n"])
    func mayBeEmpty(text: String) throws {
        #expect(try ListFile(parsing: text).entries.isEmpty)
    }

    @Test func toleratesByteOrderMarkAndCRLF() throws {
        let list = try ListFile(parsing: "\u{FEFF}https://h/x\r\n  out=y\r\n")
        #expect(list.entries.first?.urls.first?.absoluteString == "https://h/x")
        #expect(list.entries.first?.output == "y")
    }

    @Test(arguments: [
        ("example.com", 1, ListFile.Reason.invalidURL(.missingScheme(suggestion: "https://example.com/"))),
        ("https://h/\n\nhttps://h/\tftp://h/", 3, .invalidURL(.unsupportedScheme("ftp"))),
        ("\n  out=x", 2, .optionBeforeURL),
        ("https://h/\n  split=5", 2, .unknownOption("split")),
        ("https://h/\n  ou\u{1B}t", 2, .unknownOption("out")),
        ("https://h/\n  OUT=x", 2, .unknownOption("OUT")),
        ("https://h/\n  out", 2, .missingValue(option: "out")),
        ("https://h/\n  dir= ", 2, .missingValue(option: "dir")),
        ("https://h/\n  out=a\0b", 2, .controlCharacter(option: "out")),
        ("https://h/\n  checksum=sha256=ab", 2, .invalidChecksum(.wrongDigest(.sha256))),
        ("https://h/\n  checksum=crc16=00", 2, .invalidChecksum(.unknownAlgorithm)),
        ("https://h/\n  header=geheim", 2, .invalidHeader(.missingColon)),
        ("https://h/\n  header=X: a\rgeheim", 2, .invalidHeader(.controlCharacter(name: "X"))),
    ])
    func namesTheLineThatIsWrong(text: String, line: Int, reason: ListFile.Reason) {
        #expect {
            try ListFile(parsing: text)
        } throws: { error in
            guard let error = error as? ListFile.ParseError else { return false }
            return error.line == line && error.reason == reason
                && error.description.hasPrefix("line \(line): ")
                && !error.description.contains("geheim")
        }
    }

    @Test func neverTraps() {
        let alphabet = SeededRandom.soup + ["https://h/x", "\n  ", "out=", "checksum=sha256=", "header=X: y"]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            _ = try? ListFile(parsing: random.text(from: alphabet, length: 12))
        }
    }
}
