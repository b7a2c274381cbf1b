import ArgumentParser
import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Commands with `--user` ask for a password that was left out. What is asked on a terminal is tested with
/// the real tool.
@Suite struct AskingCommandTests {
    private static let url = "https://example.org/x"

    @Test func everyCommandWithTheOptionAsks() {
        let asking = FerryCommand.commands.filter {
            FerryCommand.helpMessage(for: $0, columns: 200).contains("--user <")
        }
        #expect(asking.count >= 8)
        for type in asking { #expect(type is any AskingCommand.Type, "\(type)") }
    }

    @Test(arguments: [
        ["get", url], ["add", url], ["mirror", url, "/d"], ["send", "GET", url], ["put", "/f", url],
        ["cat", url], ["adopt", "/f", url],
        ["edit", "1"],
    ])
    func theAnswerTakesThePlaceOfTheName(line: [String]) throws {
        let parsed = try FerryCommand.parseAsRoot(line + ["--user", "me"])
        var command = try #require(parsed as? any AskingCommand)
        #expect(command.user == "me")
        command.user = "me:pw"
        // A user with a password is not asked about: the tests may have a terminal.
        try command.completeUser()
        #expect(command.user == "me:pw")
    }

    @Test(arguments: ["me:", ":pw", "me:p:w", ""])
    func nothingIsAskedAboutTheseUsers(user: String) throws {
        var command = try GetCommand.parse([Self.url, "--user", user])
        try command.completeUser()
        #expect(command.user == user)
    }

    @Test func aPasswordMayBeEmptyButNotMissing() throws {
        #expect(try ExchangeTerms.credentials(of: "me:") == .basic(user: "me", password: ""))
        for user in ["me", ""] {
            let failure = #expect(throws: CommandFailure.self) { try ExchangeTerms.credentials(of: user) }
            #expect(failure?.status == .usage && failure?.hint?.contains("--user NAME:PASSWORD") == true)
        }
    }
}
