import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// What the ledger of a run counts of bytes and time.
@Suite struct RunTotalsTests {
    private let now = Sample.now

    private func ledger(_ ids: [Int64] = [3]) -> RunLedger {
        RunLedger(order: ids.map { TransferID(rawValue: $0) }, tellingInterval: .seconds(5))
    }
    /// What was there before counts neither as done nor as to be done.
    @Test func countsOnlyWhatTheCommandReceives() throws {
        var ledger = ledger([3, 4])
        let resumed = try Sample.transfer(state: .active, received: 600, length: 1000)
        _ = ledger.begin(Sample.update(resumed), at: now)
        let old = try Sample.transfer(id: 4, state: .completed, received: 5000, length: 5000)
        _ = ledger.begin(Sample.update(old), at: now)
        #expect(ledger.total.received == 0 && ledger.total.total == 400)
        _ = ledger.take(
            Sample.update(try Sample.transfer(state: .active, received: 700, length: 1000)),
            at: now
        )
        #expect(ledger.total.received == 100 && ledger.total.total == 400)
        _ = ledger.take(
            Sample.update(try Sample.transfer(state: .completed, received: 1000, length: 1000)),
            at: now
        )
        #expect(ledger.total.received == 400)
        #expect(ledger.tally.summary == "2 completed (1 already complete), 400 B.")
    }

    @Test("the last line of the progress counts whole transfers, as the lines above it do")
    func wholeTransfers() throws {
        var ledger = ledger([3, 4])
        func figures() -> ProgressRow.Figures? {
            let row = ledger.board(at: now, steady: now, limit: 5).total
            guard case .figures(let figures)? = row?.content else { return nil }
            return figures
        }
        let resumed = try Sample.transfer(state: .active, received: 600, length: 900)
        _ = ledger.begin(Sample.update(resumed), at: now)
        _ = ledger.begin(Sample.update(try Sample.transfer(id: 4, received: 0, length: 100)), at: now)
        #expect(figures()?.amount == "600 B/1000 B" && figures()?.percent == "60%")
        let done = try Sample.transfer(state: .completed, received: 900, length: 900)
        _ = ledger.take(Sample.update(done), at: now)
        #expect(figures()?.amount == "900 B/1000 B" && figures()?.percent == "90%")
        #expect(ledger.total.received == 300 && ledger.tally.summary == "1 completed, 300 B.")
    }

    @Test("the sum of named transfers counts those that still wait")
    func waiting() throws {
        var ledger = ledger([3, 4, 5])
        _ = ledger.take(Sample.update(try Sample.transfer(id: 3, state: .completed, received: 7)), at: now)
        #expect(ledger.summaryLines == ["1 completed, 7 B."])
        for id in [4, 5] as [Int64] {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: .waiting(.newURL))), at: now)
        }
        let line = "2 waiting; `ferry list` shows them, `ferry show ID` the reason."
        #expect(ledger.summaryLines == ["1 completed, 7 B.", line])
    }

    @Test("what a stop has stopped is what had begun and has not ended, with the time it took")
    func stopped() throws {
        var ledger = ledger([3, 4, 5])
        for id in [3, 4] as [Int64] {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id, state: .active)), at: now)
        }
        _ = ledger.take(Sample.update(try Sample.transfer(id: 5, state: .queued)), at: now)
        _ = ledger.take(Sample.update(try Sample.transfer(id: 3, state: .paused, received: 7)), at: now)
        _ = ledger.take(Sample.update(try Sample.transfer(id: 4, state: .completed)), at: now)
        let stopped = ledger.stopped(at: now.advanced(by: .seconds(3)))
        #expect(stopped.map(\.transfer.id.rawValue) == [3])
        #expect(stopped.map(\.news) == [.state(took: .seconds(3))])
        let line = WriteOut(parsing: "%{exitcode} %{size_download} %{time_total}")
        #expect(stopped.map { line.text(for: $0, took: .seconds(3)) } == ["7 7 3.000"])
    }

    @Test("a file that is up to date counts as completed, and its bytes do not count")
    func countsNoBytesThatDidNotMove() throws {
        var options = DownloadOptions()
        options.updates = true
        func upToDate(_ id: Int64) throws -> Transfer {
            var transfer = try Sample.transfer(
                id: id,
                state: .completed,
                received: 9,
                length: 9,
                options: options
            )
            transfer.downloadProgress.note = TransferNote(.upToDate, "The server has no other version.")
            return transfer
        }
        var ledger = ledger([3, 4, 5])
        for id in [3, 4] as [Int64] {
            _ = ledger.take(Sample.update(try Sample.transfer(id: id)), at: now)
            _ = ledger.take(Sample.update(try upToDate(id)), at: now)
        }
        #expect(ledger.total.received == 0)
        #expect(ledger.tally.summary == "2 completed (2 up to date), 0 B.")
        _ = ledger.begin(Sample.update(try upToDate(5)), at: now)
        let sent = try Sample.transfer(id: 6, state: .completed, received: 7, length: 7)
        _ = ledger.take(Sample.update(sent), at: now)
        #expect(ledger.tally.summary == "4 completed (1 already complete, 2 up to date), 7 B.")
    }

    @Test func countsEverythingOfATransferThatStartsOver() throws {
        var ledger = ledger()
        _ = ledger.begin(Sample.update(try Sample.transfer(received: 600, length: 1000)), at: now)
        _ = ledger.take(Sample.update(try Sample.transfer(received: 0, length: 800)), at: now)
        #expect(ledger.total.received == 0 && ledger.total.total == 800)
        _ = ledger.take(
            Sample.update(try Sample.transfer(state: .completed, received: 800, length: 800)),
            at: now
        )
        #expect(ledger.total.received == 800)
    }

    @Test func showsAStallAndItsEnd() throws {
        var ledger = ledger()
        func row(after seconds: Int) -> ProgressRow.Figures? {
            let at = now.advanced(by: .seconds(seconds))
            guard case .figures(let figures) = ledger.board(at: at, steady: at, limit: 5).rows[0].content
            else {
                return nil
            }
            return figures
        }
        let running = try Sample.transfer(received: 600, length: 1000)
        _ = ledger.take(Sample.update(running, speed: 100), at: now)
        #expect(row(after: 4)?.speed == "100 B/s" && row(after: 4)?.timeLeft == "4s")
        ledger.refresh(running.id, running.recordedProgress, at: now.advanced(by: .seconds(12)))
        #expect(row(after: 12)?.speed == "stalled 12 s" && row(after: 12)?.timeLeft == nil)
        var more = running.recordedProgress
        (more.received, more.bytesPerSecond) = (610, 3)
        ledger.refresh(running.id, more, at: now.advanced(by: .seconds(13)))
        #expect(row(after: 13)?.speed == "3 B/s")
    }

    @Test func theTotalTakesAtLeastAsLongAsTheSlowest() throws {
        var ledger = ledger([3, 4])
        _ = ledger.take(Sample.update(try Sample.transfer(received: 0, length: 1000), speed: 10), at: now)
        _ = ledger.take(
            Sample.update(try Sample.transfer(id: 4, received: 0, length: 1000), speed: 1000),
            at: now
        )
        guard case .figures(let total)? = ledger.board(at: now, steady: now, limit: 5).total?.content else {
            Issue.record("no total")
            return
        }
        #expect(total.timeLeft == "1m40s")
    }
}
