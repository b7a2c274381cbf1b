import Ferry
import Testing

@testable import FerryCLI

@Suite("A command that prints a fresh URL", .timeLimit(.minutes(2)))
struct RefreshCommandTests {
    private func answer(to line: String, within limit: Duration = .seconds(60)) async throws -> String {
        let old = try HTTPURL(parsing: "https://example.com/f?sig=1&b=$(x)")
        let command = RefreshCommand(line: line, limit: limit)
        return try await command.freshURL(for: TransferID(rawValue: 42), instead: old).absoluteString
    }

    @Test func itIsToldTheTransferAndTheOldURLByItsEnvironment() async throws {
        #expect(try await answer(to: "echo \"https://example.com/$FERRY_ID\"") == "https://example.com/42")
        #expect(
            try await answer(to: "echo \"$FERRY_URL&again\"") == "https://example.com/f?sig=1&b=$(x)&again"
        )
        #expect(try await answer(to: "printf '  http://a.example/x \\nmore\\n'") == "http://a.example/x")
    }

    @Test(arguments: ["true", "echo", "echo nothing", "printf '\\n\\n'", "echo ftp://a.example/", "yes x"])
    func whatPrintsNoURLIsNoHelp(_ line: String) async throws {
        await #expect(throws: RefreshCommand.Failure.noURL) { try await answer(to: line) }
    }

    @Test(arguments: ["echo http://a.example/; false", "exit 3", "no-such-command-of-any-kind 2>&-"])
    func whatFailsIsNotBelieved(_ line: String) async throws {
        await #expect(throws: RefreshCommand.Failure.failed) { try await answer(to: line) }
    }

    @Test(arguments: ["sleep 300", "exec >&-; sleep 300"])
    func whatTakesTooLongIsEnded(_ line: String) async throws {
        await #expect(throws: RefreshCommand.Failure.self) {
            try await answer(to: line, within: .milliseconds(50))
        }
    }
}
