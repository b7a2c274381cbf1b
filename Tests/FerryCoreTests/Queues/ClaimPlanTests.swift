import FerryCore
import FerryTesting
import Testing

/// Which transfers are claimed, and in which order; without a store.
struct ClaimPlanTests {
    private let now = Instant(seconds: 1_700_000_000)

    private func candidate(
        _ id: Int64,
        _ queue: String = "q",
        host: String = "h",
        priority: Int = 0,
        hoursAgo: Int64 = 0
    ) -> ClaimCandidate {
        let id = TransferID(rawValue: id)
        let since = now.milliseconds - hoursAgo * LinePlace.step
        let place = LinePlace(of: id, since: since, priority: priority)
        return ClaimCandidate(queue: queue, host: host, place: place, since: since)
    }

    private func queue(_ name: String, _ change: (inout TransferQueue) -> Void) -> TransferQueue {
        var queue = TransferQueue(name)
        change(&queue)
        return queue
    }

    private func draw(
        _ limit: Int,
        _ candidates: [ClaimCandidate],
        queues: [TransferQueue] = [],
        running: [RunningCount] = [],
        turns: [String: Int64] = [:],
        heldBack: Set<String> = []
    ) -> (ids: [Int64], turns: [String: Int64]) {
        var plan = ClaimPlan(queues: queues, running: running, turns: turns, heldBack: heldBack, at: now)
        var lines = ListedLines(candidates)
        let drawn = plan.draw(upTo: limit, from: &lines)
        return (drawn.map(\.id.rawValue), plan.newTurns)
    }

    @Test func aNamedQueueHasTenSlotsAndEightForOneHost() {
        let one = (1...20).map { candidate(Int64($0)) }
        #expect(draw(99, one).ids == Array(1...8))
        let many = (1...20).map { candidate(Int64($0), host: "h\($0)") }
        #expect(draw(99, many).ids == Array(1...10))
        let running = [RunningCount(queue: "q", host: "x", count: 9)]
        #expect(draw(99, many, running: running).ids == [1])
    }

    @Test func theQueueOfThoseThatNameNoneHasNoBound() {
        let all = (1...20).map { candidate(Int64($0), NewTransfer.defaultQueue) }
        #expect(draw(99, all).ids == Array(1...20))
    }

    @Test func whatRunsElsewhereCountsForTheHost() {
        let running = [RunningCount(queue: "other", host: "h", count: 7)]
        #expect(
            draw(99, [candidate(1), candidate(2), candidate(3, host: "i")], running: running).ids == [1, 3]
        )
    }

    @Test func aHostThatIsHeldBackKeepsNobodyElseFromStarting() {
        let all = [
            candidate(1, host: "away"), candidate(2, NewTransfer.defaultQueue, host: "away"), candidate(3),
            candidate(4, host: "away"),
        ]
        #expect(draw(9, all, heldBack: ["away"]).ids == [3])
        #expect(draw(9, all, heldBack: ["away", "h"]).ids == [])
    }

    @Test func theHigherPriorityGoesFirstUntilTheOtherHasWaitedAnHourForEachStep() {
        let urgent = candidate(9, priority: 3)
        #expect(draw(9, [urgent, candidate(1, hoursAgo: 2), candidate(2)]).ids == [9, 1, 2])
        #expect(draw(9, [urgent, candidate(1, hoursAgo: 4), candidate(2)]).ids == [1, 9, 2])
    }

    @Test func prioritiesBeyondAllMeasureKeepTheirOrder() {
        let all = [candidate(1, priority: .min), candidate(2), candidate(3, priority: .max)]
        #expect(draw(9, all).ids == [3, 2, 1])
        let queues = [queue("low") { $0.priority = .min }, queue("high") { $0.priority = .max }]
        #expect(
            draw(9, [candidate(1, "low"), candidate(2), candidate(3, "high")], queues: queues).ids == [
                3, 2, 1,
            ]
        )
    }

    /// All queues that always have transfers are served equally.
    @Test(arguments: 1...4)
    func queuesOfEqualPriorityTakeTurns(limit: Int) {
        var rest = (1...200).map { number in
            candidate(
                Int64(number),
                number <= 120 ? "a" : number <= 160 ? "b" : "c",
                hoursAgo: number <= 120 ? 9 : 0
            )
        }
        let queues = ["a", "b", "c"].map { queue($0) { ($0.slots, $0.perHost) = (0, 0) } }
        var turns: [String: Int64] = [:]
        var served: [String: Int] = [:]
        for _ in 0..<(60 / limit) {
            let (ids, new) = draw(limit, rest, queues: queues, turns: turns)
            turns.merge(new) { $1 }
            for candidate in rest where ids.contains(candidate.id.rawValue) {
                served[candidate.queue, default: 0] += 1
            }
            rest.removeAll { ids.contains($0.id.rawValue) }
            let counts = ["a", "b", "c"].map { served[$0] ?? 0 }
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1, "\(counts)")
        }
    }

    @Test func aQueueWithoutRivalsLeavesNothingToRemember() {
        #expect(draw(9, [candidate(1), candidate(2)]).turns.isEmpty)
        let paused = [queue("p") { $0.isPaused = true }]
        #expect(draw(9, [candidate(1), candidate(2, "p")], queues: paused).turns.isEmpty)
    }

    @Test func takesNoMoreThanAskedFor() {
        let all = (1...3).map { candidate(Int64($0)) }
        for limit in [-1, 0] { #expect(draw(limit, all).ids == []) }
        #expect(draw(2, all).ids == [1, 2])
    }

    @Test(arguments: TransferQueue.Overflow.allCases, [0, 1, 3])
    func onlyAFullQueueThatCancelsTheOldestDisplaces(_ overflow: TransferQueue.Overflow, slots: Int) {
        let queue = queue("q") { ($0.slots, $0.overflow) = (slots, overflow) }
        for running in 0...3 {
            for waiting in 0...3 {
                let ids = (0..<running).map { TransferID(rawValue: Int64(7 - $0)) }
                let isFull = overflow == .cancelOldest && slots > 0 && running + waiting >= slots
                let expected: QueueAdmission =
                    isFull ? .front(displacing: ids.last.map { [$0] } ?? []) : .line
                #expect(queue.admission(running: ids, waiting: waiting) == expected)
            }
        }
    }

    @Test(arguments: TransferQueue.Overflow.allCases, [0, 1, 3])
    func whereWaitingOnesGiveWayNoMoreAreLeftThanSlots(_ overflow: TransferQueue.Overflow, slots: Int) {
        let queue = queue("q") { ($0.slots, $0.overflow) = (slots, overflow) }
        for count in 0...6 {
            // The one with the highest number was asked for longest ago; two were asked for at the same moment.
            let others = (0..<count).map { number in
                AskedTransfer(TransferID(rawValue: Int64(9 - number)), asked: Int64(number / 2))
            }
            guard overflow == .cancelOldestAlsoWaiting, slots > 0, count >= slots else {
                #expect(queue.admission(beside: others) == .line)
                continue
            }
            guard case .front(let displaced) = queue.admission(beside: others.shuffled()) else {
                Issue.record("\(count) of \(slots)")
                continue
            }
            #expect(count + 1 - displaced.count == slots)
            let oldest: [Int64] = [8, 9, 6, 7, 4, 5]
            #expect(
                Set(displaced.map(\.rawValue))
                    == Set(oldest.filter { $0 > 9 - Int64(count) }.prefix(displaced.count))
            )
        }
    }

    @Test func whatIsAskedForIsLaterThanAllOthersWhateverTheClockSays() {
        let now = Instant(seconds: 100)
        #expect(AskedTransfer.moment(after: [], at: now) == 100_000)
        let ahead = AskedTransfer(TransferID(rawValue: 1), asked: 500_000)
        #expect(AskedTransfer.moment(after: [ahead], at: now) == 500_001)
        let before = AskedTransfer(TransferID(rawValue: 1), asked: 99_000)
        #expect(AskedTransfer.moment(after: [before], at: now) == 100_000)
    }

    @Test func whatIsSentToTheFrontStandsBeforeAllOthersAndTheLatestFirst() {
        func front(_ id: Int64) -> LinePlace {
            let id = TransferID(rawValue: id)
            return LinePlace(of: id, since: LinePlace.front(id), priority: 0)
        }
        #expect(front(8) < front(7))
        #expect(front(7) < LinePlace(of: TransferID(rawValue: 1), since: 0, priority: 1_000))
    }

    @Test func aNameIsAWordThatAnyFileOrShellTakes() {
        for name in ["a", "A9", "my-images", "v1.2_x", String(repeating: "x", count: 64)] {
            #expect(TransferQueue.isName(name), "\(name)")
        }
        for name in ["", "-a", ".a", "a b", "a/b", "ä", "a\n", String(repeating: "x", count: 65)] {
            #expect(!TransferQueue.isName(name), "\(name)")
            #expect(throws: TransferQueue.Flaw.name(name)) { try TransferQueue(name).check() }
        }
    }

    @Test func aQueueWithoutABoundCannotCancelTheOldest() throws {
        #expect(throws: TransferQueue.Flaw.neverFull) {
            try queue("q") { ($0.slots, $0.overflow) = (0, .cancelOldest) }.check()
        }
        #expect(throws: TransferQueue.Flaw.negative) { try queue("q") { $0.perHost = -1 }.check() }
        try queue("q") { ($0.slots, $0.perHost) = (0, 0) }.check()
    }

    @Test func onlyAStrictQueueHasALine() {
        let fair = queue("q") { $0.slots = 1 }
        let strict = queue("q") { ($0.slots, $0.order) = (1, .strict) }
        let place = candidate(1).place
        #expect(strict.front(of: [(place, .queued)]) == [place.id])
        #expect(fair.front(of: [(place, .queued)]) == [])
    }

    /// In a strict queue only the first transfers run.
    @Test(arguments: UInt64(0)..<200)
    func drawsOnlyWhatStandsInFrontOfAStrictQueue(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let failure = TransferFailure(.connectionLost, "The connection broke.")
        let states: [TransferState] = [
            .queued, .queued, .queued, .active, .waiting(.network), .waiting(.newURL), .paused, .completed,
            .failed(failure), .cancelled,
        ]
        let strict = queue("q") { queue in
            queue.slots = Int.random(in: 1...4, using: &random)
            queue.order = .strict
            queue.onFailure = Bool.random(using: &random) ? .hold : .fail
        }
        let all = (0..<Int64.random(in: 0..<12, using: &random)).map { id in
            let host = Bool.random(using: &random) ? "h" : "away"
            let candidate = candidate(id, host: host, priority: Int.random(in: -1...1, using: &random))
            return (candidate: candidate, state: states.randomElement(using: &random) ?? .queued)
        }
        let front = strict.front(of: all.map { ($0.candidate.place, $0.state) })
        for (candidate, state) in all {
            let before = all.count { strict.keepsInLine($0.state) && $0.candidate.place < candidate.place }
            let isInFront = strict.keepsInLine(state) && before < strict.slots
            #expect(front.contains(candidate.id) == isInFront, "seed \(seed)")
        }
        let active = all.filter { $0.state == .active }
        var plan = ClaimPlan(
            queues: [strict],
            running: active.map { RunningCount(queue: "q", host: $0.candidate.host, count: 1) },
            turns: [:],
            heldBack: ["away"],
            at: now
        )
        let ready = all.filter { $0.state == .queued }.map(\.candidate)
        var lines = ListedLines(ready, fronts: ["q": Set(front)])
        let drawn = plan.draw(upTo: 9, from: &lines).map(\.id)
        let mayRun = front.filter { id in ready.contains { $0.id == id && $0.host == "h" } }
        #expect(drawn == Array(mayRun.prefix(max(0, strict.slots - active.count))), "seed \(seed)")
    }

    @Test func aStrictQueueHasSlotsAndLetsNoneGoFirst() {
        #expect(throws: TransferQueue.Flaw.strictWithoutSlots) {
            try queue("q") { ($0.slots, $0.order) = (0, .strict) }.check()
        }
        #expect(throws: TransferQueue.Flaw.strictWithoutWaiting) {
            try queue("q") { ($0.overflow, $0.order) = (.cancelOldest, .strict) }.check()
        }
    }
}
