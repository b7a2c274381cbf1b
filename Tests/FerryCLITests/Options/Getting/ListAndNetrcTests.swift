import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct ListAndNetrcTests {
    /// Each test has its own directory, which is removed afterwards.
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "ferry-cli-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        try body(path)
    }

    private func write(_ text: String, to path: String, mode: Int = 0o600) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func plan(_ words: [String], home: String? = nil) throws -> DownloadPlan {
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: home)
        return try DownloadPlan(GetCommand.parse(words).input.download, environment: environment)
    }

    @Test func aListIsReadWithTheOptionsOfItsEntries() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write(
                "https://example.org/a\n out=b/c.iso\n header=X-A: 1\n# no\nhttps://example.org/d\n",
                to: list
            )
            let transfers = try plan(["https://example.org/z", "-i", list, "-d", "/tmp", "-H", "X-G: 0"])
                .transfers
            #expect(transfers.map(\.specification.url.path) == ["/z", "/a", "/d"])
            #expect(
                transfers[1].specification.destination
                    == .file(directory: "/tmp/b", name: try FileName(userGiven: "c.iso"))
            )
            #expect(transfers[1].specification.options.headers.map(\.name) == ["X-G", "X-A"])
            #expect(transfers[2].specification.destination == .file(directory: "/tmp", name: nil))
        }
    }

    @Test func whatASessionOfAria2SaysReachesTheTransfer() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write(
                """
                https://h/a
                 pause=true
                 timeout=30
                 connect-timeout=10
                 max-tries=5
                 lowest-speed-limit=1K
                 max-download-limit=100K
                 retry-wait=3
                 max-tries=5
                https://h/b
                https://h/c
                 all-proxy=
                https://h/d
                 https-proxy=http://p:1
                """,
                to: list
            )
            var plan = try plan(["-i", list, "--proxy", "http://q:2"])
            let ends = [
                "no effect here: retry-wait.",
                "line 9: max-tries was already given for this URL; this line is used.",
            ]
            #expect(plan.warnings.count == 2)
            for (warning, end) in zip(plan.warnings, ends) { #expect(warning.hasSuffix(end), "\(warning)") }
            plan.limitEach(to: try RateLimit(parsing: "5M"))
            let transfers = try plan.transfers
            #expect(transfers.map(\.transfer.isPaused) == [true, false, false, false])
            let options = transfers.map(\.specification.options)
            #expect(options.map(\.retries) == [4, 19, 19, 19])
            #expect(options[0].connection.idleTimeout == .seconds(30))
            #expect(options[0].connection.connectTimeout == .seconds(10))
            #expect(options[0].connection.lowSpeedLimit == 1024)
            let limits = options.map(\.rateLimit.bytesPerSecond)
            #expect(limits == [100 << 10, 5 << 20, 5 << 20, 5 << 20], "that of the line comes first")
            #expect(options.map(\.connection.proxy?.host) == ["q", "q", nil, "p"])
            #expect(options[2].proxies == nil && options[3].proxies?.https?.host == "p")
        }
    }

    @Test func aProxyThatALineNamesWronglyIsToldWithoutItsPassword() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write("https://h/a\n all-proxy=ftp://me:geheim@p:1\n", to: list)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            let message = try #require(failure?.message)
            #expect(message.contains("line 1: The value of 'all-proxy'"), "\(message)")
            #expect(!message.contains("geheim"))
        }
    }

    @Test func aBadLineIsNamedByItsNumber() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write("https://example.org/a\n\nnonsense\n", to: list)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            #expect(failure?.status == .usage)
            #expect(failure?.message.contains("line 3") == true)
        }
    }

    @Test func everyBadLineIsNamedByItsNumber() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write(
                """
                https://h/a
                nonsense
                 out=x
                https://h/b
                 florp=1
                 checksum=md5=0
                 http-passwd=x

                """,
                to: list
            )
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            let messages = [try #require(failure?.message)] + (failure?.further ?? [])
            let parts = [
                ", line 2: The URL has no scheme;", ", line 4: http-passwd needs http-user",
                ", line 5: The option 'florp'", ", line 6: ",
            ]
            // Line 3 is an option of a line that is named.
            #expect(messages.count == parts.count, "\(messages)")
            for (message, part) in zip(messages, parts) { #expect(message.contains(part), "\(messages)") }
            #expect(failure?.status == .usage && failure?.hint == "Nothing was downloaded or added.")
        }
    }

    @Test(arguments: [
        ("splits=5", "The option 'splits' is unknown. Did you mean 'split'?"),
        ("OUT=x", "The option 'OUT' is unknown. Did you mean 'out'?"),
        ("florp=1", "The option 'florp' is unknown. `man ferry` lists the options of a list under --input."),
        ("https://u:geheim@h/x?a=1", "The option '…' is unknown. `man ferry` lists"),
        ("dry-run=true", "'dry-run' is not supported in a list. `ferry get --dry-run -i LIST` prints"),
        ("hash-check-only=true", "`ferry verify FILE --checksum DIGEST` checks a file."),
        ("conditional-get=true", "`ferry get -N -i LIST` downloads a file again only if it has changed."),
        ("load-cookies=/geheim", "Give the command --load-cookies FILE."),
        ("http-proxy-user=geheim", "Write both in the URL, as in http-proxy=http://NAME:PASSWORD@HOST:PORT."),
    ])
    func aWrongOptionIsToldWithWhatToWrite(_ option: String, _ expected: String) throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write("https://example.org/a\n \(option)\n", to: list)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            let message = try #require(failure?.message)
            #expect(message.contains("line 2: ") && message.contains(expected), "\(message)")
            #expect(!message.contains("geheim"))
        }
    }

    @Test func aLineWithNoNetrcSendsNoPasswordOfIt() throws {
        try withDirectory { home in
            try write("machine example.org login me password pw\n", to: home + "/.netrc")
            let list = home + "/list"
            let text = "https://example.org/a\n no-netrc=true\nhttps://example.org/b\n no-netrc=false\n"
            try write(text + "https://example.org/c\n no-netrc=true\n http-user=you\n", to: list)
            let options = try plan(["-i", list], home: home).transfers.map(\.specification.options)
            let own = Credentials.basic(user: "you", password: "")
            #expect(options.map(\.credentials) == [nil, .basic(user: "me", password: "pw"), own])
        }
    }

    @Test(arguments: [10, 11, 500])
    func ofManyBadLinesTheFirstTenAreNamed(_ count: Int) throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write(String(repeating: "nonsense\n", count: count), to: list)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            let further = try #require(failure?.further)
            #expect(further[8].contains(", line 10: "), "\(further)")
            #expect(further.dropFirst(9) == (count > 10 ? ["There are more errors."] : []), "\(further)")
        }
    }

    @Test func aLineThatIsThereTwiceIsLeftOutAndToldByItsNumber() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write("https://example.org/a\nhttps://example.org/b\n\nhttps://example.org/a\n", to: list)
            let plan = try plan(["-i", list])
            #expect(try plan.transfers.map(\.specification.url.path) == ["/a", "/b"])
            #expect(plan.warnings.count == 1)
            #expect(plan.warnings.first?.contains("line 4: the same as line 1") == true, "\(plan.warnings)")
        }
    }

    @Test func aLineThatContradictsAnotherIsNamedByItsNumber() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            try write("https://example.org/a\nhttps://example.org/a\n header=X-A: 1\n", to: list)
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", list]) }
            #expect(
                failure?.message.contains("line 2") == true && failure?.message.contains("line 1") == true
            )
        }
    }

    @Test func anEmptyListIsNothingToDo() throws {
        #expect(try plan(["-i", "/dev/null"]).transfers.isEmpty)
    }

    @Test func passwordsOfAPrivateNetrcAreUsedForTheirHostOnly() throws {
        try withDirectory { home in
            try write("machine example.org login me password pw\n", to: home + "/.netrc")
            let plan = try plan(["https://example.org/a", "https://example.com/b"], home: home)
            #expect(plan.warnings.isEmpty)
            let credentials = try plan.transfers.map(\.specification.options.credentials)
            #expect(credentials == [.basic(user: "me", password: "pw"), nil])
        }
    }

    @Test func aNetrcThatOthersMayReadIsSkippedWithAWarning() throws {
        try withDirectory { home in
            try write("machine example.org login me password pw\n", to: home + "/.netrc", mode: 0o644)
            let lenient = try plan(["https://example.org/a"], home: home)
            #expect(try lenient.transfers[0].specification.options.credentials == nil)
            #expect(lenient.warnings.first?.contains("mode 644") == true)
            #expect(lenient.warnings.first?.contains("pw") == false)
            #expect(try plan(["https://example.org/a", "--no-netrc"], home: home).warnings.isEmpty)
            let failure = #expect(throws: CommandFailure.self) {
                try plan(["https://example.org/a", "--netrc-file", home + "/.netrc"])
            }
            #expect(failure?.status == .cannotOpen)
        }
    }

    @Test(arguments: [
        ["--user", "you:1"], ["--bearer", "t"], ["-H", "authorization: Basic x"],
    ])
    func whatTheCommandLineSaysGoesBeforeNetrc(_ words: [String]) throws {
        try withDirectory { home in
            try write("default login me password pw\n", to: home + "/.netrc")
            let plan = try plan(["https://example.org/a"] + words, home: home)
            #expect(
                try plan.transfers[0].specification.options.credentials != .basic(user: "me", password: "pw")
            )
        }
    }
}
