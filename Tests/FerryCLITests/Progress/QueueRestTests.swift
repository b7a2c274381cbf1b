import Ferry
import FerryTesting
import Testing

@testable import FerryCLI
@testable import FerryFrontend

@Suite struct QueueRestTests {
    private func queue(_ name: String, isPaused: Bool, waiting: Int) -> QueueSummary {
        var queue = TransferQueue(name)
        queue.isPaused = isPaused
        return QueueSummary(queue, running: 0, waiting: waiting)
    }

    @Test func onlyWhatIsPausedIsLeft() throws {
        let others = [queue("a", isPaused: false, waiting: 3), queue("b", isPaused: true, waiting: 0)]
        #expect(QueueRest(others, paused: 0).isEmpty)
        let rest = QueueRest(others + [queue("imgs", isPaused: true, waiting: 2)], paused: 1)
        #expect(
            rest.lines == [
                "2 queued in imgs, which is paused; `ferry queue resume imgs` lets them start.",
                "1 paused; `ferry list --state paused` shows them, `ferry resume --all` resumes all unfinished transfers.",
            ]
        )
        let paused = try [7, 9].map { try Sample.transfer(id: $0, state: .paused) }
        let names = "image.iso (transfer 7), image.iso (transfer 9)"
        #expect(
            QueueRest([], paused: 2, named: paused).lines == [
                "2 paused: \(names). `ferry resume 7 9` resumes them."
            ]
        )
    }

    @Test func whatStandsBehindTheFirstOfAStrictQueueIsLeft() {
        var held = queue("events", isPaused: false, waiting: 3)
        held.heldBy = TransferID(rawValue: 7)
        let line = "3 queued in events, which is strict, behind transfer 7; `ferry show 7` shows the reason."
        #expect(QueueRest([held], paused: 0).lines == [line])
    }

    @Test func whatWaitsIsLeft() {
        #expect(QueueRest([], paused: 0, queued: 3).isEmpty)
        let rest = QueueRest([], paused: 0, waiting: 2)
        #expect(!rest.isEmpty)
        #expect(rest.lines == ["2 waiting; `ferry list` shows them, `ferry show ID` the reason."])
    }

    @Test func aRunWithNothingToDoNamesWhatFailed() throws {
        func failed(_ id: Int64, _ code: TransferFailure.Code = .cannotCreate) throws -> Transfer {
            try Sample.transfer(id: id, state: .failed(TransferFailure(code, "")))
        }
        #expect(QueueRest([], paused: 0).nothingLine == "Nothing to do.")
        let one = QueueRest([], paused: 0, failed: 1, someFailed: [try failed(3)])
        #expect(one.isEmpty && one.nothingLine == "Nothing to do. 1 failed; `ferry retry 3` retries it.")
        let two = QueueRest([], paused: 0, failed: 2, someFailed: try [failed(3), failed(5)])
        #expect(two.nothingLine == "Nothing to do. 2 failed; `ferry retry 3 5` retries them.")
        let listed = "Nothing to do. 2 failed; `ferry list --state failed` shows them."
        let unknown = try [failed(3), failed(5, .outcomeUnknown)]
        #expect(QueueRest([], paused: 0, failed: 2, someFailed: unknown).nothingLine == listed)
        #expect(QueueRest([], paused: 0, failed: 2).nothingLine == listed)
    }

    /// A retry of such a transfer is refused, and a list leaves it out.
    @Test func failedStreamsAreNotNamed() throws {
        let state = TransferState.failed(TransferFailure(.streamStopped, ""))
        var stream = try Sample.transfer(id: 4, state: state)
        stream.specification.destination = .standardOutput
        let alone = QueueRest([], paused: 0, failed: 1, someFailed: [stream])
        #expect(alone.isEmpty && alone.nothingLine == "Nothing to do.")
        let others = try (5...10).map { try Sample.transfer(id: $0, state: state) }
        let few = QueueRest([], paused: 0, failed: 2, someFailed: [stream, others[0]])
        #expect(few.nothingLine == "Nothing to do. 1 failed; `ferry retry 5` retries it.")
        let many = QueueRest([], paused: 0, failed: 7, someFailed: [stream] + others)
        let listed = "Nothing to do. 6 failed; `ferry list --state failed` shows them."
        #expect(many.nothingLine == listed)
    }

    @Test func aStopCountsWhatHasNoLineOfItsOwn() throws {
        let rest = QueueRest([], paused: 1, waiting: 2, queued: 3)
        #expect(rest.stoppedLine(besides: 0) == "Stopped. Unfinished transfers: 6. Resume with `ferry run`.")
        let others = "Other unfinished transfers: 2. `ferry list` shows them, "
        let resumed = others + "`ferry resume --all` resumes them, also those paused."
        #expect(rest.stoppedLine(besides: 4) == resumed && rest.stoppedLine(besides: 6) == nil)
        let unpaused = QueueRest([], paused: 0, waiting: 3, queued: 3)
        #expect(unpaused.stoppedLine(besides: 4) == others + "`ferry run` resumes them.")
        let paused = QueueRest([], paused: 1, named: [try Sample.transfer(id: 7, state: .paused)])
        #expect(
            paused.stoppedLine(besides: 0)
                == "1 paused: image.iso (transfer 7). `ferry resume 7` resumes it."
        )
    }

    @Test func aStoppedQueueIsToldWithItsWayOut() {
        var stops = QueueStops()
        (stops.paused, stops.holders) = (["a"], ["q": TransferID(rawValue: 1)])
        #expect(
            stops.lines == [
                "Queue a is paused; `ferry queue resume a` lets its transfers start.",
                "Queue q waits behind transfer 1, which failed; `ferry retry 1` or `ferry remove 1` lets the others start.",
            ]
        )
    }

    /// A retry of such a transfer is refused.
    @Test func aQueueBehindARequestOfUnknownOutcomeIsReleasedByResolvingIt() {
        var stops = QueueStops()
        let holder = TransferID(rawValue: 1)
        stops.holders = ["q": holder]
        let beginning = "Queue q waits behind transfer 1, which failed; "
        let ways: [(code: TransferFailure.Code, way: String)] = [
            (.outcomeUnknown, "`ferry resolve 1 --sent`, `ferry resolve 1 --not-sent` or `ferry remove 1`"),
            (.responseLost, "`ferry resolve 1 --sent` or `ferry remove 1`"),
            (.timeout, "`ferry retry 1` or `ferry remove 1`"),
        ]
        for (code, way) in ways {
            stops.failures = [holder: code]
            #expect(stops.lines == ["\(beginning)\(way) lets the others start."])
        }
    }

    @Test func theEventNamesTheFailedTransferThatHoldsTheQueue() throws {
        let queued = try Sample.transfer(id: 2, state: .queued)
        var stops = QueueStops()
        stops.holders = [queued.queue: TransferID(rawValue: 1)]
        for (transfer, isHeld) in [(queued, true), (try Sample.transfer(id: 2, state: .active), false)] {
            var announcement = Announcement(transfer, transfer.recordedProgress, .added)
            announcement.note(stops)
            let json = announcement.json(owners: OwnerDirectory()).text
            #expect(json.contains("\"heldBy\":1") == isHeld, "\(json)")
        }
    }

    @Test func aSummaryCountsEveryEnd() {
        var tally = RunLedger.Tally(completed: 13, bytes: 2 << 30)
        #expect(tally.summary == "13 completed, 2.0 GiB.")
        tally.failed = 1
        tally.cancelled = 2
        #expect(tally.summary == "13 completed, 1 failed, 2 cancelled, 2.0 GiB.")
    }
}
