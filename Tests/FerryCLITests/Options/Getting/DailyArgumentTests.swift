import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// The server's time, a maximum length, and refusals that are not final.
@Suite("Everyday options")
struct DailyArgumentTests {
    private static let url = "https://example.org/a.iso"

    private func plan(_ words: [String]) throws -> DownloadPlan {
        let words = try Invocation.arranged(["get"] + words).dropFirst()
        return try DownloadPlan(GetCommand.parse(Array(words)).download, environment: Sample.environment)
    }

    private func options(_ words: [String]) throws -> DownloadOptions {
        try #require(try plan(words + [Self.url]).transfers.first).specification.options
    }

    @Test("they reach the transfer, and nothing changes without them")
    func reachTheTransfer() throws {
        #expect(try options([]) == DownloadOptions())
        for words in [["-R"], ["--remote-time"], ["-fsSLR"]] {
            #expect(try options(words).keepsServerTime, "\(words)")
        }
        for (text, bytes) in [("1", Int64(1)), ("10M", 10 << 20), ("1.5k", 1_536)] {
            #expect(try options(["--max-filesize", text]).maximumLength == bytes)
        }
        for name in ["--retry-on", "--retry-on-http-error"] {
            #expect(try options([name, "404,500-502"]).retriedStatuses == [404, 500, 501, 502])
        }
    }

    @Test("a line of a list has its own, and otherwise those of the command line")
    func lists() throws {
        let path = NSTemporaryDirectory() + "ferry-daily-\(UUID().uuidString)"
        let text = """
            https://h/1
             remote-time=false
             max-filesize=5
             retry-on=409
            https://h/2
            https://h/3
             remote-time=true
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        let given = ["-R", "--max-filesize", "7", "--retry-on", "404", "-i", path]
        let transfers = try plan(given).transfers.map(\.specification.options)
        #expect(transfers.map(\.keepsServerTime) == [false, true, true])
        #expect(transfers.map(\.maximumLength) == [5, 7, 7])
        #expect(transfers.map(\.retriedStatuses) == [[409], [404], [404]])
        #expect(
            try plan(["-i", path]).transfers.map(\.specification.options.maximumLength) == [5, nil, nil]
        )
    }
}
