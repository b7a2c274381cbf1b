import Ferry
import Testing

@testable import FerryCLI

@Suite struct QueueRestTests {
    private func queue(_ name: String, isPaused: Bool, waiting: Int) -> QueueSummary {
        var queue = TransferQueue(name)
        queue.isPaused = isPaused
        return QueueSummary(queue, running: 0, waiting: waiting)
    }

    @Test func onlyWhatIsPausedIsLeft() {
        let others = [queue("a", isPaused: false, waiting: 3), queue("b", isPaused: true, waiting: 0)]
        #expect(QueueRest(others, paused: 0).isEmpty)
        let rest = QueueRest(others + [queue("imgs", isPaused: true, waiting: 2)], paused: 1)
        #expect(
            rest.lines == [
                "2 queued in imgs, which is paused; `ferry queue resume imgs` lets them start.",
                "1 paused; `ferry resume` resumes unfinished transfers.",
            ]
        )
    }

    @Test func whatStandsBehindTheFirstOfAStrictQueueIsLeft() {
        var held = queue("events", isPaused: false, waiting: 3)
        held.heldBy = TransferID(rawValue: 7)
        let line = "3 queued in events, which is strict, behind transfer 7; `ferry show 7` shows the reason."
        #expect(QueueRest([held], paused: 0).lines == [line])
    }

    @Test func aSummaryCountsEveryEnd() {
        var tally = RunLedger.Tally(completed: 13, bytes: 2 << 30)
        #expect(tally.summary == "13 completed, 2.0 GiB.")
        tally.failed = 1
        tally.cancelled = 2
        #expect(tally.summary == "13 completed, 1 failed, 2 cancelled, 2.0 GiB.")
    }
}
