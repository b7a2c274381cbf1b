import ArgumentParser
import Ferry
import FerryTesting
import Foundation
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// A list is read again whenever its downloads are needed, and says the same each time.
@Suite(.timeLimit(.minutes(10))) struct LongListTests {
    private func plan(_ words: [String], temporary: String? = nil) throws -> DownloadPlan {
        let environment = ProcessEnvironment(
            variables: temporary.map { ["TMPDIR": $0] } ?? [:],
            workingDirectory: "/",
            home: nil
        )
        return try DownloadPlan(GetCommand.parse(words).input.download, environment: environment)
    }

    private func pages(of plan: DownloadPlan, _ limit: Int) throws -> [[String]] {
        var downloads = try plan.downloads()
        var pages: [[String]] = []
        while true {
            let page = try downloads.next(limit)
            if page.isEmpty { return pages }
            pages.append(page.map(\.specification.url.path))
        }
    }

    @Test func pagesKeepTheOrderOfTheCommandLineAndLeaveRepeatedLinesOut() throws {
        let text = "https://h/b\nhttps://h/c\nhttps://h/b\nhttps://h/d\nhttps://h/c\n"
        let document = """
            <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="z"><url>https://h/z</url>\
            </file></metalink>
            """
        try Sample.withFile(text) { list in
            try Sample.withFile(document) { metalink in
                let plan = try plan(["https://h/a", "-i", list, "--metalink", metalink])
                #expect(plan.count == 5)
                #expect(plan.warnings.count == 2, "\(plan.warnings)")
                let all = ["/a", "/b", "/c", "/d", "/z"]
                #expect(try pages(of: plan, 2) == [["/a", "/b"], ["/c", "/d"], ["/z"]])
                #expect(try pages(of: plan, 100) == [all])
                #expect(try plan.transfers.map(\.specification.url.path) == all)
            }
        }
    }

    @Test func aListThatChangesAfterItWasCheckedIsReadNoFurther() throws {
        try Sample.withFile("https://h/a\nhttps://h/b\n") { path in
            let plan = try plan(["-i", path])
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("nonsense\n".utf8))
            try handle.close()
            let failure = #expect(throws: CommandFailure.self) { try plan.transfers }
            #expect(failure?.status == .cannotOpen)
            #expect(
                failure?.message.contains("changed while it was read") == true,
                "\(String(describing: failure))"
            )
        }
    }

    @Test func aListThatIsReplacedIsStillTheOneThatWasChecked() throws {
        try Sample.withFile("https://h/a\n") { path in
            let plan = try plan(["-i", path])
            try Data("https://h/other\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(try plan.transfers.map(\.specification.url.path) == ["/a"])
        }
    }

    /// More than is kept in memory.
    private static let long = (0..<60_000).map {
        "https://example.org/a-long-directory-name/another-one/a-file-with-a-long-name-\($0)\n"
    }.joined()

    /// Runs `body` with a path that a pipe is behind, which gives a long text.
    private func withLongPipe(_ body: (String) throws -> Void) throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let input = ends[1]
        let writer = Thread {
            var bytes = Array(Self.long.utf8)[...]
            while !bytes.isEmpty {
                let count = bytes.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                bytes = bytes.dropFirst(count)
            }
            close(input)
        }
        signal(SIGPIPE, SIG_IGN)
        writer.start()
        try body("/dev/fd/\(ends[0])")
    }

    @Test func aLongListThroughAPipeIsReadAgainFromAFileWithoutAName() throws {
        #expect(Self.long.utf8.count > Spool.memoryLimit)
        let directory = NSTemporaryDirectory() + "ferry-spool-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: directory) } }
        try withLongPipe { path in
            let plan = try plan(["-i", path], temporary: directory)
            #expect(plan.count == 60_000)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
            for _ in 0..<2 {
                let transfers = try plan.transfers
                #expect(transfers.count == 60_000)
                #expect(transfers.last?.specification.url.path.hasSuffix("-59999") == true)
            }
        }
    }

    @Test func aLongListThroughAPipeThatCannotBeKeptIsRefused() throws {
        try withLongPipe { path in
            let failure = #expect(throws: CommandFailure.self) {
                try plan(["-i", path], temporary: "/nonexistent")
            }
            #expect(failure?.status == .cannotOpen)
            #expect(failure?.message.contains("/nonexistent") == true, "\(String(describing: failure))")
        }
    }

    @Test func namesAreComparedAcrossTheListAndTheCommandLine() throws {
        try Sample.withFile("https://h/a\n out=x\nhttps://h/b\n out=x\n") { path in
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", path]) }
            #expect(failure?.message == "Two downloads would be saved as x.")
            let renaming = try plan(["-i", path, "--auto-rename"])
            #expect(renaming.count == 2)
        }
        try Sample.withFile("https://h/a\n") { path in
            let failure = #expect(throws: CommandFailure.self) { try plan(["https://h/a", "-i", path]) }
            #expect(failure?.message == "Duplicate URL with the same destination: https://h/a.")
        }
    }

    @Test(arguments: ["https://h/a\n out=x\nhttps://h/x\n", "https://h/x\nhttps://h/a\n out=x\n"])
    func aNameIsComparedWithTheEndsOfOtherURLs(_ list: String) throws {
        try Sample.withFile(list) { path in
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", path]) }
            #expect(failure?.message.hasPrefix("Two downloads would be saved as x: ") == true)
            #expect(failure?.hint?.contains("--auto-rename") == true)
            for policy in ["--auto-rename", "--no-clobber"] {
                let other = try plan(["-i", path, policy])
                #expect(other.count == 2)
            }
        }
        try Sample.withFile("https://h/a\n out=x\nhttps://h/x\n dir=/elsewhere\n") { path in
            let apart = try plan(["-i", path])
            #expect(apart.count == 2)
        }
    }

    /// They are two directories: no download into the second one may be left out, or refused for a file in the first one.
    @Test func directoriesWithCanonicallyEquivalentNamesAreCompared() throws {
        let directories = ["d\u{E9}", "de\u{301}"]
        for (urls, name) in [(["a", "a"], ""), (["a", "a"], " out=x\n"), (["a", "b"], " out=x\n")] {
            let lines = zip(urls, directories).map { "https://h/\($0)\n dir=/\($1)\n\(name)" }
            try Sample.withFile(lines.joined()) { path in
                let destinations = try plan(["-i", path]).transfers.map(\.specification.destination)
                #expect(destinations.count == 2 && Set(destinations).count == 2, "\(lines)")
            }
        }
    }

    @Test func aLineIsComparedWithAllItsOptions() throws {
        try Sample.withFile("https://h/a?t=1\nhttps://h/b\nhttps://h/a?t=2\n") { path in
            let both = try plan(["-i", path])
            #expect(both.count == 3)
            let one = try plan(["-i", path, "--ignore-query", "t"])
            #expect(
                try one.transfers.map(\.specification.url.absoluteString) == [
                    "https://h/b", "https://h/a?t=2",
                ]
            )
        }
        let options = ["header=X-A: 1", "window=22:00-06:00", "checksum=crc32c=00000000"]
        for option in options {
            try Sample.withFile("https://h/a\n \(option)\nhttps://h/b\nhttps://h/a\n \(option)\n") { path in
                let plan = try plan(["-i", path])
                #expect(plan.count == 2 && plan.warnings.count == 1, "\(option)")
            }
            try Sample.withFile("https://h/b\nhttps://h/a\n \(option)\nhttps://h/a\n") { path in
                let failure = #expect(throws: CommandFailure.self) { try plan(["-i", path]) }
                #expect(failure?.message.contains("line 4") == true, "\(option)")
            }
        }
    }

    @Test func ofLinesThatDifferInTheSignatureOnlyTheLastCounts() throws {
        func signed(_ signature: Int) -> String {
            "https://h/a?X-Amz-Signature=\(signature)&X-Amz-Credential=k&X-Amz-Date=20260101T000000Z"
        }
        let lines = [signed(1), signed(2), "https://h/b", signed(2), signed(3)]
        try Sample.withFile(lines.joined(separator: "\n")) { path in
            let plan = try plan(["-i", path])
            #expect(plan.count == 2)
            #expect(try plan.transfers.map(\.specification.url.absoluteString) == ["https://h/b", signed(3)])
            let left = plan.warnings.map { $0.split(separator: ", ", maxSplits: 1).last.map(String.init) }
            #expect(
                left == [
                    "line 1: line 2 has another URL of the same file; skipped.",
                    "line 2: line 5 has another URL of the same file; skipped.",
                    "line 4: the same as line 2; skipped.",
                ]
            )
        }
        let other = "\(signed(1))\n\(signed(2))\n header=X-A: 1\n"
        try Sample.withFile(other) { path in
            let failure = #expect(throws: CommandFailure.self) { try plan(["-i", path]) }
            #expect(failure?.message.contains("has other options on line 1") == true)
        }
    }

    @Test(
        "the lines that repeat one are told together, and very many are counted",
        arguments: [
            (["a", "a", "b", "a"], ["lines 2 and 4: the same as line 1; skipped."]),
            (
                Array(repeating: "a", count: 9),
                ["lines 2, 3, 4, 5, 6 and 3 more: the same as line 1; skipped."]
            ),
            (
                Array("abcdefgabcdefg").map { "\($0)" },
                (1...5).map { "line \($0 + 7): the same as line \($0); skipped." } + [
                    "2 more lines repeat others; skipped."
                ]
            ),
        ] as [([String], [String])]
    )
    func repeatedLines(names: [String], told: [String]) throws {
        try Sample.withFile(names.map { "https://h/\($0)" }.joined(separator: "\n")) { path in
            let warnings = try plan(["-i", path]).warnings
            #expect(warnings.count == told.count)
            for (warning, text) in zip(warnings, told) { #expect(warning.hasSuffix(text), "\(warnings)") }
        }
    }

    @Test func plainLinesAndOthersHaveTheirOwnOptions() throws {
        let text = """
            https://h/a
            https://h/b
             header=X-A: 1
            https://h/c
            https://h/d
             dir=sub
             out=e
            https://h/f
            """
        try Sample.withFile(text) { path in
            let downloads = try plan(["-i", path, "-d", "/data", "-H", "X-G: 0"]).transfers
            #expect(downloads.map(\.specification.options.headers.count) == [1, 2, 1, 1, 1])
            #expect(
                try downloads.map(\.specification.destination) == [
                    .file(directory: "/data", name: nil), .file(directory: "/data", name: nil),
                    .file(directory: "/data", name: nil),
                    .file(directory: "/data/sub", name: FileName(userGiven: "e")),
                    .file(directory: "/data", name: nil),
                ]
            )
        }
    }
}
