import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// The hint when an option has taken the URL of the command line.
@Suite struct SwallowedURLTests {
    private static let url = "https://example.org/x"

    @Test(arguments: [
        (["get", "--no-proxy", url], "--no-proxy"), (["-q", "get", "-o", url], "-o"),
        (["add", "--tag", url, "--overwrite"], "--tag"), (["mirror", "--exclude", url, "/d"], "--exclude"),
        (["send", "POST", "--queue", "S3://bucket/key"], "--queue"), (["put", "/f", "-H", url], "-H"),
        (["get", "--proxy", url, "--no-proxy", url], "--proxy"), (["cat", "-i", url], "-i"),
    ])
    func anOptionWithAValueHasTakenIt(words: [String], option: String) {
        let swallowed = SwallowedURL(in: words)
        #expect(swallowed?.option == option && swallowed?.sentence.contains(option) == true)
    }

    @Test(arguments: [
        ["get"], ["get", url], ["get", "--overwrite", url], ["get", "--no-proxy", url, url],
        ["send", "--wait", url],
        ["mirror", "--delete", url], ["get", "--no-proxy", "*"], ["get", "--no-proxy=https://example.org/x"],
        ["get", "--", url], ["nosuch", "--no-proxy", url], [],
    ])
    func nothingElseHas(words: [String]) {
        #expect(SwallowedURL(in: words) == nil)
    }

    @Test func aSecretIsNotRepeated() {
        let swallowed = SwallowedURL(in: ["get", "--no-proxy", "https://me:hush@example.org/x?token=hush"])
        #expect(swallowed?.sentence.contains("example.org") == true)
        #expect(swallowed?.sentence.contains("hush") == false)
    }

    @Test func aTextThatIsSentIsNotRepeated() {
        let swallowed = SwallowedURL(in: ["send", "POST", "-d", "https://hooks.example/hush"])
        #expect(swallowed?.sentence == "`-d` took a URL as its value.")
    }

    @Test func theParserSaysIt() throws {
        let words = ["mirror", "--exclude", Self.url, "/d"]
        let error = #expect(throws: (any Error).self) {
            try FerryCommand.parseAsRoot(try Invocation.arranged(words))
        }
        let text = try #require(error.map { FerryCommand.fullMessage(for: $0) })
        let lines = Invocation.explained(text, words).split(separator: "\n")
        #expect(lines.first?.hasSuffix("`--exclude` took \(Self.url) as its value.") == true, "\(lines)")
    }

    @Test func aPlanWithoutAURLSaysItInItsHint() throws {
        let words = ["get", "--no-proxy", Self.url]
        let get = try GetCommand.parse(Array(words.dropFirst()))
        let missing = try #require(throws: CommandFailure.self) {
            try DownloadPlan(get.input.download, environment: Sample.environment)
        }
        let failure = SwallowedURL.explained(missing, words)
        #expect(failure.hint?.hasPrefix("`--no-proxy` took \(Self.url) as its value. Give a URL") == true)
        #expect(failure.status == .usage && failure.message == CommandFailure.nothingToDownload.message)
    }

    @Test(arguments: [CommandFailure.nothingToDownload, .nothingToSend, .nothingToUpload])
    func everyFailureOfAMissingURLIsExplainedWhateverItsText(missing: CommandFailure) {
        let words = ["get", "--no-proxy", Self.url]
        var reworded = missing
        reworded.message = "Reworded."
        let failure = SwallowedURL.explained(reworded, words)
        #expect(failure.hint == "`--no-proxy` took \(Self.url) as its value. \(missing.hint ?? "")")
        #expect(failure.code == "usage" && failure.status == .usage)
        let lookalike = CommandFailure.usage(missing.message, hint: missing.hint)
        #expect(SwallowedURL.explained(lookalike, words) == lookalike)
    }

    @Test func anotherFailureStaysAsItIs() {
        let other = CommandFailure.usage("Other.", hint: "Hint.")
        #expect(SwallowedURL.explained(other, ["get", "--no-proxy", Self.url]) == other)
        let missing = CommandFailure.nothingToDownload
        #expect(SwallowedURL.explained(missing, ["get"]) == missing)
    }
}
