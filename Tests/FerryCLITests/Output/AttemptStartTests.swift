import Ferry
import FerryCore
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// When the latest attempt started, for people and in JSON.
struct AttemptStartTests {
    private func lines(_ transfer: Transfer) -> [String] {
        TransferPortrait(transfer).lines(at: Sample.now) { "\($0.milliseconds)" }
    }

    private func record(_ transfer: Transfer) -> JSON? {
        TransferRecord.full(transfer, transfer.recordedProgress, owners: OwnerDirectory())
            .first { $0.name == "attemptStarted" }?.value
    }

    @Test func isShownOnceThereWasAnAttempt() throws {
        var transfer = try Sample.transfer(state: .queued)
        #expect(record(transfer) == .null)
        #expect(!lines(transfer).contains { $0.contains("Last attempt") || $0.contains("Running since") })
        transfer.attemptStarted = Instant(milliseconds: 1_700_000_000_000)
        #expect(record(transfer) == .string(SystemTime.timestamp(Instant(milliseconds: 1_700_000_000_000))))
        #expect(lines(transfer).contains("  Last attempt  1700000000000"))
        transfer.state = .active
        #expect(lines(transfer).contains("  Running since 1700000000000"))
    }

    @Test func isToldOfEachFailedAttempt() throws {
        let attempt = Attempt(
            started: Instant(milliseconds: 1_000),
            ended: Instant(milliseconds: 2_000),
            failure: TransferFailure(.timeout, "No answer."),
            received: 7
        )
        guard case .object(let members) = TransferRecord.attempt(attempt, of: try Sample.transfer()) else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["started", "ended", "received", "failure"])
        #expect(members[0].value == .string(SystemTime.timestamp(Instant(milliseconds: 1_000))))
    }
}
