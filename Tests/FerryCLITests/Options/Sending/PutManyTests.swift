import ArgumentParser
import Ferry
import Foundation
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What `ferry put -r` and `ferry put -i` ask for.
@Suite struct PutManyTests {
    private func plans(_ words: [String], _ warn: (String) -> Void = { _ in }) throws -> [RequestPlan] {
        let settings = try Settings(Sample.environment, file: nil)
        return try PutCommand.parse(words).input(with: settings)
            .plans(environment: Sample.environment, warn)
    }

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let directory = NSTemporaryDirectory() + "ferry-put-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory + "/tree/b c",
            withIntermediateDirectories: true
        )
        defer { _ = try? FileManager.default.removeItem(atPath: directory) }
        for name in ["outside", "tree/a%.txt", "tree/b c/é?.txt", "tree/b c/+"] {
            try Data(count: 3).write(to: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
        try body(directory)
    }

    @Test func everyFileBelowADirectoryKeepsItsPathAsTheKey() throws {
        try withDirectory { directory in
            let plans = try plans(["-r", directory + "/tree", "s3://bucket/x y/"])
            let names = plans.map { $0.request.url.objectName?.description }
            #expect(
                names == ["s3://bucket/x y/a%.txt", "s3://bucket/x y/b c/+", "s3://bucket/x y/b c/é?.txt"]
            )
        }
    }

    @Test func pathsAreEscapedInAURL() throws {
        try withDirectory { directory in
            let plans = try plans(["-r", directory + "/tree/", "https://a.example/x/?sig=/1"])
            let urls = plans.map(\.request.url.absoluteString)
            #expect(
                urls.count == 3 && urls.contains("https://a.example/x/b%20c/%C3%A9%3F.txt?sig=/1"),
                "\(urls)"
            )
        }
    }

    @Test func aNameThatBeginsWithACombiningMarkIsASegmentOfItsOwn() throws {
        try withDirectory { directory in
            let name = "/tree/b c/\u{301}x"
            try Data(count: 3).write(to: URL(fileURLWithPath: directory + name))
            let urls = try plans(["-r", directory + "/tree", "https://a.example/x/"])
                .map(\.request.url.absoluteString)
            #expect(urls.contains("https://a.example/x/b%20c/%CC%81x"), "\(urls)")
        }
    }

    @Test func linksAndWhatIsNoFileAreSkippedWithAWord() throws {
        try withDirectory { directory in
            let tree = directory + "/tree"
            try #require(symlink(directory, tree + "/way out") == 0)
            try #require(symlink(directory + "/outside", tree + "/link") == 0)
            try #require(mkfifo(tree + "/pipe", 0o600) == 0)
            var warnings: [String] = []
            let plans = try plans(["-r", tree, "s3://bucket/"]) { warnings.append($0) }
            #expect(plans.count == 3)
            #expect(
                warnings == [
                    "link is a symbolic link, and is not sent.",
                    "pipe is not a regular file, and is not sent.",
                    "way out is a symbolic link, and is not sent.",
                ]
            )
        }
    }

    @Test func filesAndDirectoriesWithoutTextAsNameAreFailures() throws {
        try withDirectory { directory in
            let tree = directory + "/tree"
            func name(_ start: String) -> [CChar] {
                Array(start.utf8CString.dropLast()) + [CChar(truncatingIfNeeded: 0xFF), 0]
            }
            let file = open(name(tree + "/b c/x"), O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            close(file)
            try #require(mkdir(name(tree + "/dir"), 0o700) == 0)
            try #require(symlink(directory, name(tree + "/way out")) == 0)
            var (warnings, failures): ([String], [CommandFailure]) = ([], [])
            let input = try PutCommand.parse(["-r", tree, "s3://bucket/"])
                .input(with: Settings(Sample.environment, file: nil))
            let plans = try input.plans(environment: Sample.environment) {
                warnings.append($0)
            } leaveOut: {
                failures.append($0)
            }
            #expect(plans.count == 3)
            #expect(warnings == ["way out\u{FFFD} has a name that is not UTF-8, and is not sent."])
            #expect(
                failures.map(\.message) == [
                    "b c/x\u{FFFD} has a name that is not UTF-8, so it is not sent. Rename it.",
                    "dir\u{FFFD} has a name that is not UTF-8, so no file in it is sent. Rename it.",
                ]
            )
            #expect(failures.allSatisfy { $0.status == .cannotOpen })
        }
    }

    @Test(arguments: [
        ["-r", "/nosuchdirectory", "s3://bucket/"], ["-r", "/", "s3://bucket/x"],
        ["-r", "/", "/", "s3://bucket/"],
        ["-r", "/"], ["-i", "/nosuchlist"], ["-i", "-", "a", "s3://bucket/"], ["-i", "-", "-r"],
    ])
    func whatCannotBeIsRefused(_ words: [String]) {
        #expect(throws: CommandFailure.self) { try plans(words) }
    }

    @Test func aListHasAFileAndAURLOnEachLine() throws {
        try withDirectory { directory in
            let list = directory + "/list"
            let text = """
                # files

                \(directory)/outside\ts3://bucket/a key/with blanks
                {"url": "https://a.example/in/", "file": "\(directory)/tree/a%.txt"}\r

                """
            try text.write(toFile: list, atomically: true, encoding: .utf8)
            let urls = try plans(["-i", list]).map {
                "\($0.request.url.objectName?.description ?? $0.request.url.absoluteString)"
            }
            #expect(urls == ["s3://bucket/a key/with blanks", "https://a.example/in/a%25.txt"])
        }
    }

    @Test("every file that cannot be read is named, and that nothing was sent")
    func everyMissingFile() throws {
        try withDirectory { directory in
            let files = ["/nofile", directory + "/outside", "/nofile2"]
            let failure = #expect(throws: CommandFailure.self) { try plans(files + ["https://a.example/"]) }
            #expect(failure?.status == .cannotOpen && failure?.message.contains("/nofile:") == true)
            #expect(failure?.further.count == 1 && failure?.further.first?.contains("/nofile2:") == true)
            #expect(failure?.hint == "Nothing was sent.")
            let list = directory + "/list"
            let text = "/nofile\ts3://b/1\n/nofile2\ts3://b/2\n"
            try text.write(toFile: list, atomically: true, encoding: .utf8)
            let listed = #expect(throws: CommandFailure.self) { try plans(["-i", list]) }
            #expect(listed?.message.contains(", line 1: ") == true)
            #expect(listed?.further.first?.contains(", line 2: ") == true)
        }
    }

    @Test(arguments: [
        "a s3://bucket/b", "a\t", "\ts3://bucket/b", "a\ts3://bucket/b\tc", "{\"file\": \"a\"}", "{",
        "-\ts3://bucket/b",
        #"{"file": "a", "url": "s3://bucket/b", "x": 1}"#,
    ])
    func aLineThatIsWrongIsNamed(_ line: String) {
        #expect { try UploadList(Array("\n\(line)\n".utf8), named: "list") } throws: { error in
            let failure = error as? CommandFailure
            return failure?.status == .usage && failure?.message.hasPrefix("list, line 2: ") == true
        }
    }
}
