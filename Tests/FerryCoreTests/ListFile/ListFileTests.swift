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
        #expect(entry.repeats.map(\.line) == [11] && entry.repeats.map(\.option) == ["out"])
        #expect(list.entries[0].output == nil && list.entries[2].headers.isEmpty)
    }

    @Test func aRepeatedOptionIsReportedWithItsLineUnlessTheFirstCountsAsWell() throws {
        let list = try ListFile(
            parsing: """
                https://a.example/x
                 out=a
                 split=2
                 split=3
                 referer=https://h/
                 gid=1
                 gid=2
                https://b.example/x
                 out=b
                 pause=true
                 out=c
                 pause=false
                """
        )
        #expect(list.entries[0].repeats.isEmpty)
        #expect(list.entries[1].repeats.map(\.line) == [11, 12])
        #expect(list.entries[1].repeats.map(\.option) == ["out", "pause"])
        #expect(list.entries[1].output == "c")
    }

    @Test("a URL in a query, and a name with blanks, are parts of one URL")
    func takesBlanks() throws {
        let list = try ListFile(parsing: "https://h/a b?u=http://x/\nhttps://h/a - b")
        #expect(list.entries.map(\.urls.count) == [1, 1])
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

    /// A list as aria2 writes it with `--save-session`.
    @Test func readsOptionsOfAria2() throws {
        let text = """
            https://h/x\thttps://m/x\t
             gid=2089b05ecca3d829
             continue=true
             dir=/data
             out=x.iso
             referer=https://h/
             user-agent=agent/1
             split=5
             max-connection-per-server=2
             http-user=me
             http-passwd=geheim
             auto-file-renaming=true
             allow-overwrite=true
             remote-time=true
             max-filesize=10M
             retry-on=404,500-502
            """
        let entry = try #require(try ListFile(parsing: text).entries.first)
        #expect(entry.urls.count == 2 && entry.output == "x.iso" && entry.directory == "/data")
        #expect(entry.headers.map(\.name.rawName) == ["Referer", "User-Agent"])
        #expect(entry.connections == 2 && entry.user == "me" && entry.password == "geheim")
        #expect(entry.overwrites && entry.renames && entry.ignored == ["gid", "continue"])
        #expect(entry.keepsServerTime == true && entry.maximumLength == 10 << 20)
        #expect(entry.retriedStatuses == [404, 500, 501, 502])
    }

    @Test("an option that is not supported is ignored where it asks for nothing")
    func ignoresIdleOptions() throws {
        let flags: [UnsupportedListOption] = [.dryRun, .hashCheckOnly, .conditionalGet]
        for option in UnsupportedListOption.allCases {
            let value = flags.contains(option) ? "false" : ""
            let entry = try ListFile(parsing: "https://h/x\n \(option.rawValue)=\(value)").entries.first
            #expect(entry?.ignored == [option.rawValue] && entry?.isPlain == true)
            #expect(!ListFile.optionNames.contains(option.rawValue))
        }
    }

    @Test("a line may send no password of a netrc file", arguments: [true, false])
    func readsWithoutNetrc(_ isIgnored: Bool) throws {
        let entry = try #require(try ListFile(parsing: "https://h/x\n no-netrc=\(isIgnored)").entries.first)
        #expect(entry.ignoresNetrc == isIgnored && entry.isPlain != isIgnored && entry.ignored.isEmpty)
    }

    @Test("what a session of aria2 says of a download's speed, times, tries and proxies is read")
    func readsTermsOfAria2() throws {
        let text = """
            https://h/x
             pause=true
             timeout=30
             connect-timeout=10
             max-tries=5
             lowest-speed-limit=1024
             max-download-limit=102400
             retry-wait=3
             min-split-size=1048576
             bt-max-peers=55
             http-no-cache=true
             all-proxy=
             https-proxy=http://p:1
            https://h/y
             max-tries=0
             max-download-limit=0
             pause=false
             http-no-cache=false
            https://h/z
             gid=2089b05ecca3d829
            """
        let entries = try ListFile(parsing: text).entries
        let entry = try #require(entries.first)
        #expect(entry.isPaused && entry.retries == 4)
        #expect(entry.idleTimeout == .seconds(30) && entry.connectTimeout == .seconds(10))
        #expect(entry.lowSpeedLimit == 1024 && entry.rateLimit?.bytesPerSecond == 102_400)
        #expect(entry.ignored == ["retry-wait", "min-split-size", "bt-max-peers"])
        #expect(entry.headers.map(\.name.rawName) == ["Cache-Control"])
        #expect(entry.proxies == ["all_proxy": "", "https_proxy": "http://p:1"])
        #expect(entries[1].retries == 1_000_000 && entries[1].rateLimit == .off, "0 stands for no limit")
        #expect(!entries[1].isPaused && entries[1].headers.isEmpty)
        #expect(entries.map(\.isPlain) == [false, false, true])
    }

    @Test(arguments: [
        ("example.com", 1, ListFile.Reason.invalidURL(.missingScheme(suggestion: "https://example.com/"))),
        ("https://h/\n\nhttps://h/\tftp://h/", 3, .invalidURL(.unsupportedScheme("ftp"))),
        ("https://h/x https://h/y", 1, .severalURLs), ("https://h/\nhttps://h/x  s3://b/y", 2, .severalURLs),
        ("\n  out=x", 2, .optionBeforeURL),
        ("https://h/\n  splits=5", 2, .unknownOption("splits")),
        ("https://h/\n  split=0", 2, .invalidNumber(option: "split")),
        ("https://h/\n  split=x", 2, .invalidNumber(option: "split")),
        ("https://h/\n  allow-overwrite=yes", 2, .notTrueOrFalse(option: "allow-overwrite")),
        ("https://h/\n  pause=yes", 2, .notTrueOrFalse(option: "pause")),
        ("https://h/\n  max-tries=-1", 2, .invalidNumber(option: "max-tries")),
        ("https://h/\n  timeout=0", 2, .invalidNumber(option: "timeout")),
        ("https://h/\n  max-download-limit=fast", 2, .invalidRate(.malformed)),
        ("https://h/\n  dry-run=true", 2, .unsupportedOption(.dryRun)),
        ("https://h/\n  dry-run", 2, .unsupportedOption(.dryRun)),
        ("https://h/\n  hash-check-only=true", 2, .unsupportedOption(.hashCheckOnly)),
        ("https://h/\n  conditional-get = true", 2, .unsupportedOption(.conditionalGet)),
        ("https://h/\n  load-cookies=/c", 2, .unsupportedOption(.loadCookies)),
        ("https://h/\n  all-proxy-user=geheim", 2, .unsupportedOption(.allProxyUser)),
        ("https://h/\n  http-proxy-passwd=geheim", 2, .unsupportedOption(.httpProxyPassword)),
        ("https://h/\n  no-netrc=yes", 2, .notTrueOrFalse(option: "no-netrc")),
        ("https://h/\n  remote-time=1", 2, .notTrueOrFalse(option: "remote-time")),
        ("https://h/\n  max-filesize=big", 2, .invalidSize(.malformed)),
        ("https://h/\n  max-filesize=0", 2, .invalidNumber(option: "max-filesize")),
        ("https://h/\n  retry-on=200", 2, .invalidStatuses(.malformed)),
        ("https://h/\n  referer=a\rb", 2, .invalidHeader(.controlCharacter(name: "Referer"))),
        ("https://h/\n  ou\u{1B}t", 2, .unknownOption("…")),
        ("https://h/\n  https://u:geheim@h/x?a=1", 2, .unknownOption("…")),
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

    @Test func isTheSameInWhateverPartsItComes() throws {
        let text = "\u{FEFF}https://h/x\r\n  out=y\r\n\n# no\nhttps://h/z\thttps://m/z\n header=X: y"
        let bytes = Array(text.utf8)
        let whole = try ListFile(parsing: text)
        #expect(whole.entries.count == 2)
        for size in 1...bytes.count {
            var parser = ListFile.Parser()
            var entries: [ListFile.Entry] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                entries += try parser.read(bytes[start..<min(start + size, bytes.count)])
            }
            entries += try parser.read([])
            #expect(entries == whole.entries, "in parts of \(size)")
        }
    }

    @Test func aTransferIsGivenAsSoonAsTheNextOneBegins() throws {
        var parser = ListFile.Parser()
        #expect(try parser.read(Array("https://h/x\n out=y\n".utf8)[...]).isEmpty)
        let first = try parser.read(Array("https://h/z\nnonsense".utf8)[...])
        #expect(first.map(\.output) == ["y"])
        // What is wrong comes after what is right before it.
        parser.take(Array("\n".utf8)[...])
        let error = #expect(throws: ListFile.ParseError.self) { try parser.next() }
        #expect(error?.line == 4)
    }

    @Test func aLineWithoutEndIsRefusedOnceItIsTooLong() {
        let zeros = [UInt8](repeating: 0, count: 64 * 1024)
        var parser = ListFile.Parser()
        let error = #expect(throws: ListFile.ParseError.self) {
            _ = try parser.read(Array("https://h/x\n".utf8)[...])
            for _ in 0..<1000 { _ = try parser.read(zeros[...]) }
        }
        #expect(error == ListFile.ParseError(line: 2, reason: .lineTooLong))
    }

    @Test func aLongLineIsRefusedWhenItComesWhole() {
        let text = "https://h/x\n\nhttps://h/" + String(repeating: "a", count: ListFile.longestLine)
        let error = #expect(throws: ListFile.ParseError.self) { try ListFile(parsing: text + "\n") }
        #expect(error == ListFile.ParseError(line: 3, reason: .lineTooLong))
    }

    @Test func aListWithoutEndIsRefused() {
        // What names nothing is not kept, but it is not read for ever either.
        let comments = Array(String(repeating: "# no\n", count: 20).utf8)
        var parser = ListFile.Parser(longest: 1000, most: 10)
        let error = #expect(throws: ListFile.ParseError.self) {
            for _ in 0..<1000 { _ = try parser.read(comments[...]) }
        }
        #expect(error == ListFile.ParseError(line: 201, reason: .tooLong))
    }

    @Test func aListOfTooManyIsRefused() {
        var parser = ListFile.Parser(longest: 1000, most: 10)
        let error = #expect(throws: ListFile.ParseError.self) {
            for _ in 0..<1000 { _ = try parser.read(Array("https://h/x\n".utf8)[...]) }
        }
        #expect(error == ListFile.ParseError(line: 11, reason: .tooMany))
    }

    @Test func neverTraps() {
        let alphabet = SeededRandom.soup + ["https://h/x", "\n  ", "out=", "checksum=sha256=", "header=X: y"]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            _ = try? ListFile(parsing: random.text(from: alphabet, length: 12))
        }
    }
}

extension ListFile.Parser {
    /// Takes a part, and gives the transfers that are complete by it.
    fileprivate mutating func read(_ part: ArraySlice<UInt8>) throws(ListFile.ParseError) -> [ListFile.Entry]
    {
        take(part)
        var entries: [ListFile.Entry] = []
        while let entry = try next() { entries.append(entry) }
        return entries
    }
}
