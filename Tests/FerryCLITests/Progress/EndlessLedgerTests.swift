import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite("The ledger of a service")
struct EndlessLedgerTests {
    @Test func aJournalHasTheBeginningAndTheEndWithNumbers() throws {
        let now = Sample.now
        func lines(_ transfer: Transfer, _ news: Announcement.News) -> [String] {
            let announcement = Announcement(transfer, transfer.recordedProgress, news)
            return announcement.journalMessages(at: now).map { message in
                switch message {
                case .notice(let line): line
                case .failure(let failure): "! \(failure.message)"
                }
            }
        }
        var running = try Sample.transfer()
        #expect(
            lines(running, .state(took: nil)) == [
                "Transfer 3: Downloading image.iso from https://example.org/image.iso."
            ]
        )
        #expect(lines(running, .progress).isEmpty)
        running.attempts = 2
        #expect(lines(running, .state(took: nil)).isEmpty)
        let kept = try Sample.transfer(received: 1 << 30, length: 4 << 30)
        #expect(
            lines(kept, .state(took: nil)) == ["Transfer 3: Resuming image.iso: 1.0 GiB of 4.0 GiB kept."]
        )
        let done = try Sample.transfer(state: .completed, received: 1, length: 1)
        #expect(lines(done, .state(took: nil)) == ["Transfer 3: Done: /data/image.iso (1 B)."])
        let failed = try Sample.transfer(state: .failed(TransferFailure(.notFound, "Nothing there.")))
        #expect(lines(failed, .state(took: nil)) == ["! Transfer 3: image.iso: Nothing there."])
    }

    private func ledger() -> RunLedger {
        var ledger = RunLedger(order: [], tellingInterval: .seconds(5))
        ledger.isEndless = true
        return ledger
    }

    @Test func whatHasEndedTakesNoMemoryAndIsCountedOnce() throws {
        var ledger = ledger()
        let count = Int64(RunLedger.mostSettled * 2)
        for id in 1...count {
            let completed = Sample.update(
                try Sample.transfer(id: id, state: .completed, received: 1, length: 1)
            )
            #expect(ledger.take(completed, at: Sample.now).count == 1)
            // The same news twice is news once.
            #expect(ledger.take(completed, at: Sample.now).isEmpty)
        }
        #expect(ledger.tally.completed == Int(count))
        #expect(ledger.entries.isEmpty)
        let size =
            Mirror(reflecting: ledger).children.first { $0.label == "settled" }?.value as? TransferIDSet
        #expect(try #require(size).count <= RunLedger.mostSettled)
    }

    @Test func onlyWhatRunsHereIsKept() throws {
        var ledger = ledger()
        _ = ledger.take(Sample.update(try Sample.transfer(id: 1)), at: Sample.now)
        _ = ledger.take(Sample.update(try Sample.transfer(id: 2)), at: Sample.now)
        #expect(ledger.status == "Running 2 transfers.")
        _ = ledger.take(Sample.update(try Sample.transfer(id: 2, state: .paused)), at: Sample.now)
        #expect(ledger.entries.keys.map(\.rawValue) == [1])
        _ = ledger.take(Sample.update(try Sample.transfer(id: 1), speed: 2048), at: Sample.now)
        #expect(ledger.status == "Running 1 transfer at 2.0 KiB/s.")
    }

    @Test func itsStatusTellsHowManyEnded() throws {
        var ledger = ledger()
        #expect(ledger.status == "Idle.")
        let failure = TransferFailure(.notFound, "No.")
        _ = ledger.take(Sample.update(try Sample.transfer(id: 1, state: .failed(failure))), at: Sample.now)
        _ = ledger.take(Sample.update(try Sample.transfer(id: 2, state: .completed)), at: Sample.now)
        #expect(ledger.status == "Idle, 1 completed, 1 failed.")
        #expect(ledger.exitStatus == .done)
    }
}
