import Ferry
import FerryFrontend
import Testing

@testable import FerryCLI

@Suite("The report of a look-up")
struct LookUpReportTests {
    private static let wait = RequestWait(
        after: TransferFailure(.serverOverloaded, "127.0.0.1:1 is overloaded (503 Service Unavailable)."),
        for: .milliseconds(1_200),
        attempt: 2,
        of: 20
    )

    /// What is printed on standard error.
    private func printed(_ appearance: Appearance, _ body: (LookUpReport) -> Void) async throws -> String {
        let pieces = try OutputPieces()
        defer { pieces.close() }
        let errors = Terminal(descriptor: pieces.writer)
        let console = Console(appearance, output: errors, errors: errors)
        body(LookUpReport(console))
        await console.finish()
        return pieces.read().joined()
    }

    @Test func itSaysWhyItWaitsInTheWordsOfATransfer() async throws {
        let text = try await printed(Appearance()) { report in
            report.begin("Asking 127.0.0.1:1")
            report.tell(Self.wait, of: "image.iso")
        }
        let reason = "127.0.0.1:1 is overloaded (503 Service Unavailable)"
        #expect(text == "image.iso: waiting 2 s to try again: \(reason) (attempt 2 of 20)\n")
    }

    @Test func anInterruptionLeavesTheReason() async throws {
        let text = try await printed(Appearance(quiet: true)) { report in
            report.tell(Self.wait, of: "image.iso")
            report.abandon()
        }
        let reason = "127.0.0.1:1 is overloaded (503 Service Unavailable)."
        #expect(text == "ferry: Stopped before the server answered: \(reason)\n")
    }

    @Test func whatHasEndedLeavesNoReason() async throws {
        let text = try await printed(Appearance()) { report in
            report.tell(Self.wait, of: "first")
            report.begin("Asking 127.0.0.1:2")
            report.abandon()
        }
        #expect(text.split(separator: "\n").count == 1, "\(text)")
    }
}
