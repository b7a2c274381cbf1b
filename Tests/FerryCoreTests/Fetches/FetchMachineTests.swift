import FerryCore
import FerryTesting
import Testing

/// Which results are fetched into memory when, and what each caller hears, without any network.
struct FetchMachineTests {
    /// A machine, and what its callers have heard.
    struct Bench {
        typealias Machine = FetchMachine<String>

        var machine = Machine()
        var now = Instant(seconds: 1_700_000_000)
        var random = SeededRandom(seed: 5)
        /// What runs, by the request.
        var running: [String: FetchID] = [:]
        /// What was to be cut, in order.
        var cut: [FetchID] = []
        var begun: [String] = []
        var delivered: [FetchCaller] = []
        var failed: [FetchCaller: Problem] = [:]
        private var latest = 0

        init(_ queues: TransferQueue..., running others: [RunningCount] = []) {
            machine.learn(queues, running: others)
        }

        mutating func take(_ actions: [Machine.Action]) {
            for action in actions {
                switch action {
                case .begin(let id, let request, _):
                    running[request] = id
                    begun.append(request)
                case .cut(let id): cut.append(id)
                case .deliver(let callers): delivered += callers
                case .fail(let callers, let problem):
                    for caller in callers {
                        #expect(
                            failed.updateValue(problem, forKey: caller) == nil,
                            "\(caller) heard it twice"
                        )
                    }
                }
            }
        }

        @discardableResult
        mutating func ask(
            _ request: String,
            host: String = "h",
            queue: String? = "q",
            priority: Int = 0,
            retries: Int = 0,
            waitsForNetwork: Bool = true
        ) -> FetchCaller {
            latest += 1
            machine.ask(
                FetchCall(
                    request,
                    host: host,
                    queue: queue,
                    priority: priority,
                    retries: retries,
                    waitsForNetwork: waitsForNetwork
                ),
                by: latest,
                at: now
            )
            return latest
        }

        mutating func begin() { take(machine.begin(at: now)) }

        mutating func end(_ request: String, _ end: FetchEnd = .succeeded) throws {
            let begun = running.removeValue(forKey: request)
            let id = try #require(begun)
            take(machine.ended(id, as: end, at: now, using: &random))
        }

        mutating func pass(_ duration: Duration) { now = now.advanced(by: duration) }

        var numbers: [FetchCaller] { failed.keys.sorted() }
    }

    private static func queue(
        _ slots: Int,
        _ overflow: TransferQueue.Overflow = .wait,
        _ change: (inout TransferQueue) -> Void = { _ in }
    ) -> TransferQueue {
        var queue = TransferQueue("q")
        (queue.slots, queue.perHost, queue.overflow) = (slots, 0, overflow)
        change(&queue)
        return queue
    }

    private static let passing = Problem.transient(.serverOverloaded, "Later.")
    private static let final = Problem.permanent(.notFound, "Nothing there.")
    private static let offline = Problem.condition(.network, .networkUnreachable, "No route.")

    // MARK: Order

    @Test func runsNoMoreThanTheQueueHasSlotsAndTheRestInOrder() throws {
        var bench = Bench(Self.queue(2))
        for request in ["a", "b", "c", "d"] { bench.ask(request) }
        bench.begin()
        #expect(bench.begun == ["a", "b"] && bench.machine.waitsForRoom)
        try bench.end("a")
        bench.begin()
        #expect(bench.begun == ["a", "b", "c"] && bench.delivered == [1])
    }

    @Test func transfersWithARowTakeSlotsOfTheSameQueueAndOfTheHost() {
        var bench = Bench(
            Self.queue(3) { $0.perHost = 2 },
            running: [
                RunningCount(queue: "q", host: "x", count: 1),
                RunningCount(queue: "other", host: "busy", count: 2),
            ]
        )
        bench.ask("a", host: "busy")
        for request in ["b", "c", "d"] { bench.ask(request, host: "\(request).h") }
        bench.begin()
        #expect(bench.begun == ["b", "c"])
        bench.machine.learn([Self.queue(3) { $0.perHost = 2 }], running: [])
        bench.begin()
        #expect(bench.begun == ["b", "c", "a"])
        #expect(bench.machine.running.count == 3)
    }

    @Test func theHigherPriorityGoesFirstAndACallerMayRaiseIt() throws {
        var bench = Bench(Self.queue(1))
        bench.ask("a")
        bench.begin()
        for request in ["b", "c", "d"] { bench.ask(request) }
        bench.ask("c", priority: 3)
        bench.ask("e", priority: 2)
        for _ in 0..<5 {
            try bench.end(bench.begun.last ?? "")
            bench.begin()
        }
        #expect(bench.begun == ["a", "c", "e", "b", "d"])
    }

    @Test func aPausedQueueBeginsNothingAndTheEngineHasABoundOfItsOwn() {
        var bench = Bench(Self.queue(9) { $0.isPaused = true })
        bench.ask("a")
        bench.begin()
        #expect(bench.begun.isEmpty && bench.machine.waitsForRoom)
        bench.machine.learn([Self.queue(9)], running: [])
        bench.machine.bound = 2
        for request in ["b", "c"] { bench.ask(request) }
        bench.begin()
        #expect(bench.begun == ["a", "b"])
    }

    @Test func whatStandsInNoQueueWaitsForNone() {
        var paused = TransferQueue(NewTransfer.defaultQueue)
        paused.isPaused = true
        var bench = Bench(paused, Self.queue(1))
        for request in ["a", "b", "c"] { bench.ask(request, queue: nil) }
        #expect(!bench.machine.standsInQueues)
        bench.ask("d", queue: NewTransfer.defaultQueue)
        #expect(bench.machine.standsInQueues)
        bench.begin()
        #expect(bench.begun == ["a", "b", "c"])
        #expect(!bench.machine.isBounded(nil) && bench.machine.isBounded("q"))
    }

    @Test func aStrictQueueIsHeldByTheOneThatIsToBeTriedAgain() throws {
        var bench = Bench(Self.queue(1) { $0.order = .strict })
        for request in ["a", "b"] { bench.ask(request, retries: 3) }
        bench.begin()
        try bench.end("a", .failed(Self.passing, to: "h"))
        bench.begin()
        #expect(bench.begun == ["a"])
        bench.now = try #require(bench.machine.nextWake)
        bench.begin()
        #expect(bench.begun == ["a", "a"])
        try bench.end("a")
        bench.begin()
        #expect(bench.begun == ["a", "a", "b"])
    }

    // MARK: Sharing

    @Test func equalRequestsAreOneFetchAndEachCallerMayLeave() throws {
        var bench = Bench(Self.queue(1))
        let callers = [bench.ask("a"), bench.ask("a"), bench.ask("a")]
        bench.begin()
        #expect(bench.begun == ["a"])
        bench.take(bench.machine.withdraw(callers[0]))
        #expect(bench.cut.isEmpty)
        try bench.end("a")
        #expect(bench.delivered == [2, 3] && bench.machine.isEmpty)
        bench.take(bench.machine.withdraw(callers[1]))
    }

    @Test func theLastCallerWhoLeavesEndsItAndTheSlotIsFreeWhenThatHasEnded() throws {
        var bench = Bench(Self.queue(1))
        let caller = bench.ask("a")
        bench.begin()
        let waiting = bench.ask("b")
        bench.take(bench.machine.withdraw(caller))
        #expect(bench.cut.count == 1)
        // The same once more is another fetch, as the one that runs is being cut.
        bench.ask("a")
        bench.begin()
        #expect(bench.begun == ["a"])
        bench.take(bench.machine.withdraw(waiting))
        try bench.end("a", .cut)
        bench.begin()
        #expect(bench.begun == ["a", "a"])
        try bench.end("a")
        #expect(bench.delivered == [3] && bench.failed.isEmpty && bench.machine.isEmpty)
    }

    @Test func whoAsksInAnotherQueueTakesAWaitingOneThere() throws {
        var other = TransferQueue("other")
        other.slots = 1
        var bench = Bench(Self.queue(1) { $0.isPaused = true }, other)
        bench.ask("a")
        bench.begin()
        bench.ask("a", queue: "other")
        bench.begin()
        #expect(bench.begun == ["a"] && bench.machine.running.map(\.queue) == ["other"])
        // One that runs stays where it is.
        bench.ask("a")
        bench.begin()
        #expect(bench.machine.running.map(\.queue) == ["other"])
        try bench.end("a")
        #expect(bench.delivered == [1, 2, 3])
    }

    // MARK: Displacement

    @Test func aFullQueueThatCancelsTheOldestStartsTheNewestFirst() throws {
        var bench = Bench(Self.queue(2, .cancelOldest))
        for request in ["a", "b"] { bench.ask(request) }
        bench.begin()
        for request in ["c", "d", "e"] { bench.ask(request) }
        bench.begin()
        // Two run, so two give way; the third one finds none.
        #expect(bench.numbers == [1, 2] && bench.cut.count == 2)
        #expect(bench.failed[1]?.failure.code == .gaveWay)
        for request in ["a", "b"] { try bench.end(request, .cut) }
        bench.begin()
        #expect(bench.begun == ["a", "b", "e", "d"])
        try bench.end("e")
        bench.begin()
        #expect(bench.begun.last == "c" && bench.numbers == [1, 2])
    }

    @Test func onlyRunningOnesGiveWayUnlessTheQueueSaysOtherwise() {
        for (overflow, displaced) in [
            (TransferQueue.Overflow.wait, []), (.cancelOldest, [1]), (.cancelOldestAlsoWaiting, [1, 2, 3]),
        ] {
            var bench = Bench(Self.queue(1, overflow))
            bench.ask("a")
            bench.begin()
            for request in ["b", "c", "d"] { bench.ask(request) }
            bench.begin()
            #expect(bench.numbers == displaced, "\(overflow)")
        }
    }

    @Test func afterAnHourOfflineOnlyTheLatestAreLeft() throws {
        var bench = Bench(Self.queue(3, .cancelOldestAlsoWaiting))
        for number in 0..<20 {
            bench.ask("\(number)", host: "h")
            bench.begin()
            for request in bench.running.keys { try bench.end(request, .failed(Self.offline, to: "h")) }
            bench.pass(.seconds(180))
        }
        #expect(bench.numbers == Array(1...17))
        bench.machine.wayIsBack(to: ["h"])
        bench.begin()
        #expect(bench.begun.suffix(3).sorted() == ["17", "18", "19"])
    }

    @Test func askingAgainMakesItYoung() throws {
        var bench = Bench(Self.queue(3, .cancelOldestAlsoWaiting))
        for request in ["a", "b", "c", "a", "d"] { bench.ask(request) }
        bench.begin()
        // Of b there was one caller, and it had become the oldest.
        #expect(bench.numbers == [2])
        bench.ask("c")
        bench.ask("e")
        bench.begin()
        #expect(bench.numbers == [1, 2, 4])
    }

    @Test func transfersWithARowMakeAQueueFullAndDoNotGiveWay() {
        let rows = [RunningCount(queue: "q", host: "x", count: 2)]
        var bench = Bench(Self.queue(2, .cancelOldest), running: rows)
        for request in ["a", "b"] { bench.ask(request) }
        bench.begin()
        #expect(bench.begun.isEmpty && bench.failed.isEmpty)
        let one = [RunningCount(queue: "q", host: "x", count: 1)]
        bench.machine.learn([Self.queue(2, .cancelOldest)], running: one)
        bench.begin()
        #expect(bench.begun == ["b"], "the newest goes first")
    }

    // MARK: Failures

    /// What becomes of a caller after its attempts ended in these ways.
    struct Case: Sendable, CustomTestStringConvertible {
        var ends: [FetchEnd]
        var retries = 0
        var waitsForNetwork = true
        /// The code that it hears in the end, `nil` if it still waits.
        var code: TransferFailure.Code?

        var testDescription: String { "\(ends) with \(retries) retries" }
    }

    static let cases: [Case] = [
        Case(ends: [.failed(passing, to: "h")], code: .serverOverloaded),
        Case(ends: [.failed(passing, to: "h")], retries: 1),
        Case(
            ends: [.failed(passing, to: "h"), .failed(passing, to: "h")],
            retries: 1,
            code: .attemptsExhausted
        ),
        Case(ends: [.failed(final, to: "h")], retries: 9, code: .notFound),
        Case(ends: [.failed(offline, to: "h")]),
        Case(ends: [.failed(offline, to: nil)], waitsForNetwork: false, code: .networkUnreachable),
        Case(ends: [.failed(.routeLost(to: "h"), to: "h")], waitsForNetwork: false),
        Case(
            ends: [.failed(.leftAlone(to: "h"), to: "h"), .failed(offline, to: "h")],
            waitsForNetwork: false,
            code: .networkUnreachable
        ),
        Case(
            ends: [.failed(offline, to: "h"), .failed(offline, to: "h"), .failed(passing, to: "h")],
            retries: 1
        ),
        Case(
            ends: [.failed(.condition(.newURL, .urlExpired, "Old."), to: "h")],
            retries: 9,
            code: .urlExpired
        ),
        Case(
            ends: [FetchEnd](repeating: .failed(unknownHost, to: "h"), count: 3),
            retries: 9,
            code: .attemptsExhausted
        ),
    ]

    private static let unknownHost: Problem = {
        var problem = Problem.transient(.nameNotResolved, "No such host.")
        problem.isUnknownHost = true
        return problem
    }()

    @Test(arguments: cases)
    func waitsOrFailsAsTheAttemptEnded(_ example: Case) throws {
        var bench = Bench(Self.queue(1))
        bench.ask("a", retries: example.retries, waitsForNetwork: example.waitsForNetwork)
        for end in example.ends {
            bench.machine.wayIsBack(to: ["h"])
            if let wake = bench.machine.nextWake { bench.now = wake }
            bench.begin()
            try bench.end("a", end)
        }
        #expect(bench.failed[1]?.failure.code == example.code)
        #expect(bench.machine.isEmpty == (example.code != nil))
    }

    @Test func eachCallerHasItsOwnRetriesAndPatience() throws {
        var bench = Bench(Self.queue(1))
        let once = bench.ask("a")
        let twice = bench.ask("a", retries: 1)
        let often = bench.ask("a", retries: 5)
        bench.begin()
        try bench.end("a", .failed(Self.passing, to: "h"))
        #expect(bench.numbers == [once])
        // Who comes now has not failed yet.
        let late = bench.ask("a")
        bench.now = try #require(bench.machine.nextWake)
        bench.begin()
        try bench.end("a", .failed(Self.passing, to: "h"))
        #expect(bench.numbers == [once, twice, late])
        let hasty = bench.ask("a", retries: 5, waitsForNetwork: false)
        bench.now = try #require(bench.machine.nextWake)
        bench.begin()
        try bench.end("a", .failed(Self.offline, to: "h"))
        #expect(bench.numbers == [once, twice, late, hasty])
        bench.machine.wayIsBack(to: ["h"])
        bench.begin()
        try bench.end("a")
        #expect(bench.delivered == [often])
    }

    @Test func doesNotComeBackBeforeTheServerSaid() throws {
        var bench = Bench(Self.queue(1))
        bench.ask("a", retries: 1)
        bench.begin()
        let busy = Problem.transient(.serverOverloaded, "Busy.", retryAfter: .seconds(120))
        try bench.end("a", .failed(busy, to: "h"))
        let wake = try #require(bench.machine.nextWake)
        #expect(bench.now.duration(to: wake) >= .seconds(120))
        bench.pass(.seconds(119))
        bench.begin()
        #expect(bench.begun == ["a"])
        // A clock that was set back makes it wait no longer than was meant.
        bench.now = bench.now.advanced(by: .seconds(-86_400))
        bench.begin()
        #expect(bench.begun == ["a", "a"])
    }

    @Test func nothingIsTriedBehindAHostWithoutARouteUnlessACallerDoesNotWait() throws {
        var bench = Bench(Self.queue(9))
        bench.ask("a", host: "away")
        bench.begin()
        try bench.end("a", .failed(Self.offline, to: "away"))
        bench.ask("b", host: "away")
        bench.ask("c", host: "here")
        bench.ask("d", host: "away", waitsForNetwork: false)
        bench.begin()
        #expect(bench.begun == ["a", "c", "d"] && bench.machine.hostsWithoutWay == ["away"])
        try bench.end("d", .failed(Self.offline, to: "away"))
        #expect(bench.numbers == [4])
        bench.machine.wayIsBack(to: ["away"])
        bench.begin()
        #expect(bench.begun.suffix(2).sorted() == ["a", "b"])
    }

    // MARK: The application, and the end

    @Test func inTheBackgroundRunningOnesStandInLineAgainAndNoneBegins() throws {
        var bench = Bench(Self.queue(2))
        for request in ["a", "b", "c"] { bench.ask(request) }
        bench.begin()
        bench.machine.mayBegin = false
        bench.take(bench.machine.stepBack())
        #expect(bench.cut.count == 2 && bench.machine.stepBack().isEmpty)
        try bench.end("a", .failed(Self.passing, to: "h"))
        // What has come all the same is a result.
        try bench.end("b")
        bench.begin()
        #expect(bench.begun == ["a", "b"] && bench.failed.isEmpty && bench.delivered == [2])
        bench.machine.mayBegin = true
        bench.begin()
        #expect(bench.begun == ["a", "b", "a", "c"])
    }

    @Test func whatHasNotBegunCanBeDropped() throws {
        var bench = Bench(Self.queue(1))
        bench.ask("a")
        bench.begin()
        for request in ["b", "c", "b"] { bench.ask(request) }
        bench.ask("d", queue: nil)
        #expect(bench.machine.dropWaiting().sorted() == [2, 3, 4])
        bench.begin()
        for request in ["a", "d"] { try bench.end(request) }
        #expect(bench.machine.isEmpty && bench.delivered == [1, 5])
    }
}
