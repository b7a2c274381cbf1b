import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Which cookies a command begins with, and where it saves them.
@Suite struct CookieArgumentTests {
    private static let url = "https://www.example.org/a.iso"

    /// The path of a file with these lines, which is removed afterwards.
    private func withFile<Result>(_ lines: [String], _ body: (String) throws -> Result) throws -> Result {
        try Sample.withFile(lines.map { $0.replacing(" ", with: "\t") }.joined(separator: "\n"), body)
    }

    private func plan(_ words: [String]) throws -> DownloadPlan {
        try DownloadPlan(GetCommand.parse(words).input.download, environment: Sample.environment)
    }

    @Test func loadedCookiesAreKeptWithTheDownload() throws {
        let lines = [".example.org TRUE / TRUE 0 a 1", "other.example FALSE / FALSE 0 b 2"]
        try withFile(lines) { path in
            let plan = try plan(["--load-cookies", path, Self.url, "https://none.example/b"])
            let options = try plan.transfers.map(\.specification.options)
            #expect(options.map(\.headers) == [[.init(name: "Cookie", value: "a=1")], []])
            #expect(options.map(\.exchange.hasLoadedCookies) == [true, false])
            let other = try HTTPURL(parsing: "http://other.example/")
            #expect(plan.terms.cookieJar?.field(for: other, at: Sample.now) == "b=2")

            let given = try self.plan(["--load-cookies", path, "-H", "cookie: mine", Self.url])
            let own = try #require(try given.transfers.first?.specification.options)
            #expect(own.headers == [.init(name: "cookie", value: "mine")] && !own.exchange.hasLoadedCookies)
        }
        #expect(try plan([Self.url]).terms.cookieJar == nil)
    }

    @Test func aLineThatIsNoCookieIsNamed() throws {
        try withFile(["# Netscape HTTP Cookie File", "h geheim"]) { path in
            let failure = #expect(throws: CommandFailure.self) {
                try plan(["--load-cookies", path, Self.url])
            }
            #expect(failure?.status == .cannotOpen)
            #expect(failure?.message.contains("line 2") == true && failure?.message.contains(path) == true)
            #expect(failure?.message.contains("geheim") == false)
        }
    }

    /// Otherwise a server could make the file useless.
    @Test func allCookiesThatServersSetCanBeLoadedAgain() throws {
        let host = (1...4).map { _ in String(repeating: "h", count: 62) }.joined(separator: ".")
        let value = String(repeating: "v", count: 4094)
        let path = String(repeating: "p", count: 1023)
        let fields = (10..<60).map {
            "\($0)=\(value); Domain=\(host); Path=/\(path); Max-Age=99999999999; HttpOnly"
        }
        var jar = CookieJar()
        let isChanged = jar.store(fields, from: try HTTPURL(parsing: "https://\(host)/"), at: Sample.now)
        #expect(isChanged)
        let text = jar.text(at: Sample.now)
        #expect(text.utf8.count > 50 * 5_000)
        // A jar keeps 3,000 cookies, 50 of one domain.
        #expect(text.utf8.count * 60 < LoadedCookies.longest)
    }

    @Test func theFileHasTwoNames() throws {
        for name in ["--save-cookies", "--cookie-jar"] {
            #expect(try GetCommand.parse([name, "jar", Self.url]).saving.path == "jar")
            #expect(try MirrorCommand.parse([name, "jar", "https://h/", "d"]).saving.path == "jar")
            #expect(try SendCommand.parse(["--wait", name, "jar", "GET", Self.url]).saving.path == "jar")
            #expect(throws: (any Error).self) { try SendCommand.parse([name, "jar", "GET", Self.url]) }
            #expect(throws: (any Error).self) { try AddCommand.parse([name, "jar", Self.url]) }
        }
        #expect(try GetCommand.parse([Self.url]).saving.path == nil)
        #expect(
            try MirrorCommand.parse(["--load-cookies", "jar", "https://h/", "d"]).mirror.cookies.path == "jar"
        )
    }

    @Test func aFileThatIsToBeSavedNeedNotBeThere() throws {
        let absent = "/tmp/ferry-absent-\(UUID().uuidString)"
        let environment = ProcessEnvironment(variables: [:], workingDirectory: "/tmp", home: nil)
        func loaded(_ path: String?, savingTo saved: String?) throws -> String? {
            try SavedCookies.loaded(path, savingTo: saved, environment)
        }
        #expect(try loaded(absent, savingTo: absent) == nil)
        #expect(try loaded(absent, savingTo: "./\(absent.dropFirst(5))") == nil)
        #expect(try loaded(absent, savingTo: absent + "2") == absent)
        #expect(try loaded(absent, savingTo: nil) == absent)
        #expect(try loaded(nil, savingTo: absent) == nil)
        try withFile([]) { path in
            let same = try loaded(path, savingTo: path)
            #expect(same == path)
        }
        for unusable in ["", "-"] {
            let failure = #expect(throws: CommandFailure.self) { try loaded("jar", savingTo: unusable) }
            #expect(failure?.status == .usage)
        }
    }
}
