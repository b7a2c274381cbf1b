import ArgumentParser
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("Words joined for the parser")
struct JoinedWordTests {
    private let names = (0..<200).map { "f\($0)" } + ["", "-", "a b"]

    @Test(
        "what is joined is separated again, and options keep their values",
        arguments: ["get", "add", "put"]
    )
    func separates(_ command: String) {
        let words = ["-d", "dir"] + names + ["-q", "--tag", "t"] + names + ["--"] + names
        let joined = JoinedWords.joined(words, of: command)
        #expect(joined.count < 20)
        #expect(joined.starts(with: ["-d", "dir"]) && joined[3...].starts(with: ["-q", "--tag", "t"]))
        #expect(JoinedWords.separated(joined) == words)
    }

    @Test("few words, and those of other commands, stay as they are")
    func keeps() {
        let few = Array(names.prefix(JoinedWords.shortestRun - 1))
        #expect(JoinedWords.joined(few + ["-q"] + few, of: "get") == few + ["-q"] + few)
        #expect(JoinedWords.joined(names, of: "show") == names)
    }

    @Test("a command gets all its URLs in their order")
    func parses() throws {
        let urls = (0..<1_000).map { "https://h/\($0)" }
        let words = try Invocation.arranged(["get", "-d", "x"] + urls + ["-q", "https://h/last"])
        let command = try GetCommand.parse(Array(words.dropFirst()))
        #expect(command.download.urls == urls + ["https://h/last"])
        #expect(command.download.directory == "x" && command.global.quiet)
        let files = try Invocation.arranged(["put"] + names.dropLast(2) + ["https://h/"])
        let put = try PutCommand.parse(Array(files.dropFirst()))
        #expect(put.input(with: Settings()).words == names.dropLast(2) + ["https://h/"])
    }
}
