import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct MirrorArgumentTests {
    private static let url = "https://example.org/a.iso"
    private static let digest = "sha256=" + String(repeating: "a", count: 64)

    private func plan(_ words: [String]) throws -> DownloadPlan {
        try DownloadPlan(GetCommand.parse(words).input.download, environment: Sample.environment)
    }

    private func plan(list: String) throws -> DownloadPlan {
        try Sample.withFile(list) { try plan(["-i", $0]) }
    }

    @Test func howMirrorsAreUsedIsSaidWithoutADigest() throws {
        func note(_ words: [String]) throws -> String? {
            let plan = try plan(words)
            #expect(plan.warnings.isEmpty)
            return plan.mirrorNote(for: try plan.transfers)
        }
        let line = [Self.url, "--mirror", "https://b.example/x"]
        #expect(try note([Self.url]) == nil)
        #expect(try note(line + ["--checksum", Self.digest]) == nil)
        #expect(try note(line)?.contains("where the parts of two servers meet") == true)
        let strict = try note(line + ["--strict-resume"])
        #expect(strict == "Without a digest, ferry uses a mirror here only when a URL fails.")
    }

    @Test func mirrorsReachTheTransferInTheirOrder() throws {
        let transfers = try plan([
            "--mirror", "https://b.example/x", Self.url, "--mirror", "http://c.example/y#part",
            "--ignore-server-mirrors",
        ]).transfers
        let options = try #require(transfers.first).specification.options
        #expect(transfers.count == 1)
        #expect(options.mirrors.map(\.absoluteString) == ["https://b.example/x", "http://c.example/y"])
        #expect(options.ignoresServerMirrors)
        #expect(try plan([Self.url]).transfers[0].specification.options.ignoresServerMirrors == false)
    }

    @Test(arguments: [
        [url, "--mirror", url], [url, "--mirror", url + "#x"],
        [url, "--mirror", "HTTPS://EXAMPLE.org:443/a.iso"],
        [url, "--mirror", "https://b.example/", "--mirror", "https://b.example"],
        [url, "--mirror", "ftp://b.example/x"], [url, "--mirror", ""], ["--mirror", url],
        [url, "https://example.org/b", "--mirror", "https://c.example/"],
        [url, "-i", "/dev/null", "--mirror", "https://c.example/"], ["-i", "/dev/null", "--mirror", url],
        [url] + (0...100).flatMap { ["--mirror", "https://m\($0).example/"] },
    ])
    func mirrorsThatMakeNoSenseAreRefused(_ words: [String]) throws {
        let failure = #expect(throws: CommandFailure.self) { try plan(words) }
        #expect(failure?.status == .usage)
    }

    @Test func asManyMirrorsAsADocumentMayName() throws {
        let mirrors = (0..<100).flatMap { ["--mirror", "https://m\($0).example/"] }
        #expect(try plan([Self.url] + mirrors).transfers[0].specification.options.mirrors.count == 100)
    }

    @Test func aLineOfAListNamesMirrorsBehindItsFirstURL() throws {
        let plan = try plan(
            list:
                "https://a.example/1\thttps://b.example/2\t https://c.example/3\n  out=x\nhttp://d.example/\n"
        )
        #expect(try plan.transfers.map(\.specification.url.host) == ["a.example", "d.example"])
        #expect(
            try plan.transfers[0].specification.options.mirrors.map(\.host) == ["b.example", "c.example"]
        )
        #expect(try plan.transfers[1].specification.options.mirrors.isEmpty)
        #expect(plan.warnings.isEmpty)
        #expect(try plan.mirrorNote(for: plan.transfers)?.contains("compares bytes") == true)
    }

    @Test func aMirrorTwiceOnALineIsNamedByItsNumber() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try plan(list: "https://a.example/1\n\nhttps://b.example/\thttps://b.example/\n")
        }
        #expect(failure?.status == .usage)
        #expect(failure?.message.contains("line 3") == true)
    }
}
