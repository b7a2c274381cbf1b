import Ferry
import Glibc
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Added transfers are told in few texts, in their order.
@Suite("What is told of added transfers", .timeLimit(.minutes(10)))
struct ToldAdditionsTests {
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// What is written for additions, on standard output and on standard error.
    private func told(
        _ additions: [Addition],
        _ appearance: Appearance = Appearance()
    ) async throws -> (output: [String], errors: [String]) {
        let (output, errors) = (try OutputPieces(), try OutputPieces())
        let console = Console(
            appearance,
            output: Terminal(descriptor: output.writer),
            errors: Terminal(descriptor: errors.writer)
        )
        let session = Session(
            environment: Sample.environment,
            console: console,
            dataDirectory: "/",
            settings: Settings(),
            settingsFile: nil,
            settingsFailure: nil
        )
        let asked = try additions.map { NewTransfer(try #require($0.transfer.download).specification) }
        session.tell(additions, of: asked)
        await console.finish()
        defer { for pieces in [output, errors] { pieces.close() } }
        return (output.read(), errors.read())
    }

    @Test("the IDs of many are one text")
    func writesTogether() async throws {
        let additions = try (1...3000).map { Addition.added(try Sample.transfer(id: $0, state: .queued)) }
        let told = try await told(additions)
        #expect(told.output == [(1...3000).map { "\($0)\n" }.joined()] && told.errors.isEmpty)
        #expect(try await self.told([]).output.isEmpty)
    }

    @Test("the message about a transfer that existed comes after its ID, unless it is left out")
    func tellsOfOthers() async throws {
        let transfer = try Sample.transfer(id: 2, state: .paused)
        let additions: [Addition] = [
            .added(try Sample.transfer(id: 1)), .attached(transfer),
            .revived(try Sample.transfer(id: 3, state: .queued)),
        ]
        let plain = try await told(additions)
        #expect(plain.output.joined() == "1\n2\n3\n")
        let messages = [
            "Transfer 2 already exists; it is paused.\n", "Transfer 3 had failed; it is queued again.\n",
        ]
        #expect(plain.errors.joined() == messages.joined())
        let quiet = try await told(additions, Appearance(quiet: true))
        #expect(quiet.output == ["1\n2\n3\n"] && quiet.errors.isEmpty)
        let json = try await told(additions, Appearance(json: true))
        let lines = json.output.joined().split(separator: "\n")
        #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix(#"{"event":"#) } && json.errors.isEmpty)
    }
}
