import ArgumentParser
import Ferry
import FerryTesting
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct DownloadPlanTests {
    @Test(arguments: ["m.meta4", "lists/M.METALINK"])
    func aMetalinkThatIsTakenForAURLIsTold(_ path: String) throws {
        let failure = #expect(throws: CommandFailure.self) {
            try DownloadPlan(GetCommand.parse([path]).input.download, environment: Sample.environment)
        }
        #expect(failure?.hint == "--metalink \(path) downloads its files.")
    }

    private func plan(
        _ words: [String],
        _ environment: ProcessEnvironment = Sample.environment
    ) throws -> DownloadPlan {
        let command = try GetCommand.parse(words)
        return try DownloadPlan(command.input.download, environment: environment)
    }

    private func status(_ words: [String], _ environment: ProcessEnvironment = Sample.environment) -> Int32 {
        do {
            _ = try plan(words, environment)
            return 0
        } catch let failure as CommandFailure {
            return failure.status.rawValue
        } catch {
            return FerryCommand.exitCode(for: error).rawValue
        }
    }

    static let url = "https://example.org/a.iso"

    @Test(arguments: [
        [], ["example.org"], ["a/b"], ["ftp://example.org/a"], ["https:///a"], [url, "--bogus"],
        [url, "--overwrite", "--no-clobber"], [url, "--auto-rename", "--overwrite"],
        [url, "https://example.org/b", "-o", "x"], [url, "https://example.org/b", "--checksum", "sha256=00"],
        [url, "--checksum", "sha256=00"], [url, "--checksum", "crc=00"],
        [url, "--checksum", "crc32c=00000000", "--checksum-file", "sums"],
        [url, "--checksum-file", "/etc/hostname"],
        ["-i", "-", "--checksum-file", "-"], [url, "-H", "no colon"],
        [url, "-H", "X: a\r\nY: b"], [url, "--user", "a:b", "--bearer", "t"], [url, "--user", "a"],
        [url, "--bearer", ""],
        [url, "--timeout", "0"], [url, "--timeout", "-1"], [url, "--timeout", "soon"],
        [url, "--timeout", "1e3"],
        [url, "--connect-timeout", ""], [url, "--low-speed-time", "3"], [url, "--low-speed-limit", "fast"],
        [url, "--retries", "-1"], [url, "--retries", "x"], [url, "--max-redirects", "-2"],
        [url, "--on-change", "never"], [url, "--proxy", "ftp://p"],
        [url, "--insecure", "--cacert", "/etc/hosts"], [url, "--cert-key", "/etc/hosts"],
        [url, "-o", ""], [url + "[1-"], [url + "{a"], [url, "-o", "-", "--overwrite"], [url, url],
        [url, "--netrc-file", "x", "--no-netrc"], [url, "-j", "0"], [url, "-j", "many"], [url, "-q", "-v"],
        [url, "-x", "0"], [url, "-x", "65"], [url, "-x", "-1"], [url, "--mirror", url],
        [url, "--limit-rate"],
        [url, "-4", "-6"], [url, "--interface", ""], [url, "--interface", "eth0/1"],
        [url, "-6", "--interface", "127.0.0.1"], [url, "--resolve", "example.org:1.2.3.4"],
        [url, "--max-filesize", "0"], [url, "--max-filesize", "-1"], [url, "--max-filesize", "big"],
        [url, "--retry-on", "200"], [url, "--retry-on", "404,"], [url, "--retry-on", "401"],
        [url, "--retry-on", ""], [url, "--retry-on", "599-500"],
        [url, "--resolve", "example.org:80:name"], [url, "--resolve", "-example.org:80"],
        ["https://example.org/b", url, "--checksum", "sha256=" + String(repeating: "a", count: 64)],
    ])
    func whatMakesNoSenseEndsWith64(_ words: [String]) {
        #expect(status(words) == 64)
    }

    @Test func everyOptionReachesTheTransfer() throws {
        let digest = String(repeating: "0A", count: 32)
        let transfers = try plan([
            Self.url, "-d", "/tmp", "-o", "x.iso", "--checksum", "sha256=\(digest)", "-H", "X-A: 1", "-H",
            "X-B: 2",
            "--retries", "3", "--timeout", "2.5", "--connect-timeout", "7", "--low-speed-limit", "10k",
            "--low-speed-time", "9", "--auto-rename", "--on-change", "keep", "--strict-resume",
            "--strict-type",
            "--ignore-query",
            "token", "--ignore-query", "t", "--user",
            "me:pw",
            "--proxy", "socks5h://p:1", "--insecure", "--max-redirects", "2", "--allow-downgrade",
            "--priority", "-4", "-6", "--interface", "[::1]", "--resolve", "A.example:80:127.0.0.1",
            "--resolve", "[::1]:81:[::2],::3",
        ]).transfers
        let transfer = try #require(transfers.first)
        let options = transfer.specification.options
        #expect(transfer.priority == -4)
        #expect(
            transfer.specification.destination
                == .file(directory: "/tmp", name: try FileName(userGiven: "x.iso"))
        )
        #expect(options.checksum?.hex == digest.lowercased())
        #expect(options.headers == [.init(name: "X-A", value: "1"), .init(name: "X-B", value: "2")])
        #expect(options.retries == 3)
        #expect(options.connection.idleTimeout == .milliseconds(2500))
        #expect(options.connection.connectTimeout == .seconds(7))
        #expect(options.connection.lowSpeedLimit == 10240)
        #expect(options.connection.lowSpeedTime == .seconds(9))
        #expect(options.existingFile == .autoRename)
        #expect(options.onChange == .keep)
        #expect(options.strictResume)
        #expect(options.refusesPages)
        #expect(options.ignoredQuery == ["token", "t"])
        #expect(options.credentials == .basic(user: "me", password: "pw"))
        #expect(options.connection.proxy == Proxy(scheme: .socks5h, host: "p", port: 1))
        #expect(options.connection.trustsAnyCertificate)
        #expect(options.connection.addressFamily == .ipv6)
        #expect(options.connection.localAddress == "::1")
        #expect(
            options.connection.hostOverrides.map(\.description)
                == ["a.example:80:127.0.0.1", "[::1]:81:[::2],[::3]"]
        )
        #expect(options.redirectLimit == 2)
        #expect(options.allowsDowngrade)
    }

    @Test func anEmptyPasswordIsSaid() throws {
        let transfer = try #require(try plan([Self.url, "--user", "me:"]).transfers.first)
        #expect(transfer.specification.options.credentials == .basic(user: "me", password: ""))
    }

    @Test func zeroTurnsTheFloorOfSpeedOff() throws {
        let transfer = try #require(try plan([Self.url, "--low-speed-limit", "0"]).transfers.first)
        #expect(transfer.specification.options.connection.lowSpeedLimit == 0)
        #expect(transfer.specification.options.connection.speedFloor == nil)
    }

    @Test func withoutOptionsEverythingHasItsDefault() throws {
        let transfer = try #require(try plan([Self.url]).transfers.first)
        #expect(transfer.specification.options == DownloadOptions())
        #expect(transfer.specification.destination == .file(directory: "/", name: nil))
    }

    @Test(arguments: [
        ("x", "/", "x"), ("/no home/y", "/no home", "y"), ("/x", "/", "x"),
        ("tmp/../no such place/x", "/tmp/../no such place", "x"),
        ("no such place//./b/x", "/no such place/b", "x"), ("~/x", "/no home", "x"),
    ])
    func outputIsRelativeToTheDirectory(_ path: String, _ directory: String, _ name: String) throws {
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/", home: "/no home")
        let destination = try Destination(userGiven: path, in: "/", environment)
        #expect(destination == .file(directory: directory, name: try FileName(userGiven: name)))
    }

    @Test func aHyphenIsStandardOutput() throws {
        #expect(
            try plan([Self.url, "-o", "-"]).transfers.first?.specification.destination == .standardOutput
        )
    }

    @Test func theEnvironmentsProxyIsUsedUnlessTheCommandLineHasOne() throws {
        let environment = ProcessEnvironment(
            variables: ["https_proxy": "http://env:1", "no_proxy": "example.org"],
            workingDirectory: "/",
            home: nil
        )
        func proxy(_ words: [String]) throws -> String? {
            try plan(words, environment).transfers.first?.specification.options.connection.proxy.map {
                "\($0)"
            }
        }
        #expect(try proxy([Self.url]) == nil)
        #expect(try proxy(["https://example.com/"]) == "http://env:1")
        #expect(try proxy([Self.url, "--no-proxy", ""]) == "http://env:1")
        #expect(try proxy(["https://example.com/", "--proxy", "http://own:2"]) == "http://own:2")
        #expect(try proxy(["https://example.com/", "--proxy", ""]) == nil)
        // A redirect may lead to a host for which the answer is another one.
        let direct = try plan([Self.url], environment).transfers.first?.specification.options
        let elsewhere = try HTTPURL(parsing: "https://example.com/")
        #expect(direct?.exchange.connection(to: elsewhere).proxy == (try Proxy(parsing: "http://env:1")))
        #expect(try plan([Self.url]).transfers.first?.specification.options.proxies == nil)
        #expect(
            status(
                ["https://example.com/"],
                .init(variables: ["all_proxy": "ftp://x"], workingDirectory: "/", home: nil)
            ) == 64
        )
    }

    static let ends: [(options: [String], end: String)] = [
        ([], "only one of them is saved"),
        (["--overwrite"], "only one of them is saved"),
        (["--no-clobber"], "only one of them is saved, and the others are skipped"),
    ]

    /// Before any of them is fetched, and whatever happens to a file that already exists.
    @Test(arguments: ends)
    func urlsOfOneNameAreWarnedOf(_ sample: (options: [String], end: String)) throws {
        let urls = ["https://a.example/x/f.bin?v=1", "https://b.example/f.bin"]
        let warnings = try plan(urls + sample.options).warnings
        #expect(
            warnings == [
                "2 URLs have the file name f.bin. Unless the server gives other names, \(sample.end). "
                    + "Use --auto-rename to number the others."
            ]
        )
        #expect(try plan([urls[0], "https://b.example/g.bin"] + sample.options).warnings.isEmpty)
        #expect(try plan(urls + ["--auto-rename"]).warnings.isEmpty)
    }

    @Test func missingFilesEndWith15() {
        #expect(status(["-i", "/nonexistent/list"]) == 15)
        #expect(status([Self.url, "--cacert", "/nonexistent/ca"]) == 15)
        #expect(status([Self.url, "--cert", "/nonexistent/pem"]) == 15)
        #expect(status([Self.url, "--cert", "/etc/hosts", "--cert-key", "/nonexistent/key"]) == 15)
        #expect(status([Self.url, "--netrc-file", "/nonexistent/netrc"]) == 15)
        #expect(status(["-i", "/"]) == 15)
    }

    @Test(arguments: [
        ("s3://b/k", "v+1", Int32(0)), ("oss://b/k", "a", 0), ("gs://b/k", "1700000000000000", 0),
        ("gs://b/k", "v1", 64), ("gs://b/k", "", 64), ("https://example.org/k", "1", 64),
    ])
    func aVersionBelongsToAnObjectAndIsANumberAtGoogle(_ url: String, _ version: String, _ expected: Int32) {
        #expect(status([url, "--version-id", version]) == expected)
    }
}
