import FerryCore
import FerryTesting
import Testing

/// Whatever happens in whatever order, callers hear once, and queues keep their bounds.
struct FetchMachinePropertyTests {
    /// A machine that is driven at random, with a model that knows only what was told.
    private struct Walk {
        var machine = FetchMachine<Int>()
        var random: SeededRandom
        let seed: UInt64
        var now = Instant(seconds: 1_700_000_000)
        var queues: [TransferQueue]
        var others: [RunningCount] = []
        var latest = 0
        var waiting: Set<FetchCaller> = []
        var running: [FetchID: (request: Int, queue: String?)] = [:]
        var cut: Set<FetchID> = []

        init(seed: UInt64) {
            self.seed = seed
            random = SeededRandom(seed: seed)
            queues = TransferQueue.Overflow.allCases.map { overflow in
                var queue = TransferQueue(overflow.rawValue)
                (queue.slots, queue.perHost, queue.overflow) = (2, 0, overflow)
                return queue
            }
            var strict = TransferQueue("strict")
            (strict.slots, strict.perHost, strict.order) = (2, 0, .strict)
            queues.append(strict)
            machine.learn(queues, running: [])
        }

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

        mutating func step() {
            switch number(0..<20) {
            case 0..<7: ask()
            case 7..<13: end()
            case 13: withdraw()
            case 14: machine.wayIsBack(to: ["h0", "h1"])
            case 15: now = now.advanced(by: .seconds(number(-100..<400)))
            case 16: changeOthers()
            case 17: changeQueue()
            case 18: take(machine.stepBack())
            default: machine.mayBegin = number(0..<4) > 0
            }
            begin()
        }

        mutating func ask() {
            latest += 1
            waiting.insert(latest)
            let lines = queues.map(\.name).map(Optional.some) + [nil]
            machine.ask(
                FetchCall(
                    number(0..<12),
                    host: "h\(number(0..<2))",
                    queue: lines[number(0..<lines.count)],
                    priority: number(-2..<3),
                    retries: number(0..<3),
                    waitsForNetwork: number(0..<2) == 0
                ),
                by: latest,
                at: now
            )
        }

        mutating func end() {
            guard let id = running.keys.sorted().randomElement(using: &random) else { return }
            let offline = Problem.condition(.network, .networkUnreachable, "No route.")
            let ends: [FetchEnd] = [
                .succeeded, .cut, .failed(offline, to: "h0"), .failed(.transient(.timeout, "Late."), to: nil),
                .failed(.permanent(.notFound, "Nothing."), to: "h1"),
            ]
            // What was not to be cut does not end so.
            let end = ends[number(0..<ends.count)]
            guard end != .cut || cut.contains(id) else { return }
            running[id] = nil
            cut.remove(id)
            take(machine.ended(id, as: end, at: now, using: &random))
        }

        mutating func withdraw() {
            guard let caller = waiting.sorted().randomElement(using: &random) else { return }
            waiting.remove(caller)
            take(machine.withdraw(caller))
        }

        mutating func changeOthers() {
            others = queues.indices.filter { _ in number(0..<3) == 0 }.map { place in
                RunningCount(queue: queues[place].name, host: "h0", count: number(1..<3))
            }
            machine.learn(queues, running: others)
        }

        mutating func changeQueue() {
            let place = number(0..<queues.count)
            queues[place].slots = number(1..<4)
            queues[place].isPaused = number(0..<4) == 0
            machine.learn(queues, running: others)
        }

        mutating func take(_ actions: [FetchAction<Int>]) {
            for action in actions {
                switch action {
                case .begin: Issue.record("seed \(seed): begun out of turn")
                case .cut(let id):
                    #expect(running[id] != nil && cut.insert(id).inserted, "seed \(seed): cut twice")
                case .deliver(let callers), .fail(let callers, _): hear(callers)
                }
            }
        }

        mutating func hear(_ callers: [FetchCaller]) {
            for caller in callers {
                #expect(waiting.remove(caller) != nil, "seed \(seed): \(caller) hears again, or has left")
            }
        }

        mutating func begin() {
            let actions = machine.begin(at: now)
            take(actions.filter { if case .begin = $0 { false } else { true } })
            for case .begin(let id, let request, let queue) in actions {
                let same = running.filter { $0.value.request == request && !cut.contains($0.key) }
                #expect(same.isEmpty, "seed \(seed): \(request) runs twice")
                #expect(machine.mayBegin, "seed \(seed): begins in the background")
                if let queue = queues.first(where: { $0.name == queue }) {
                    let rows = others.reduce(0) { $0 + ($1.queue == queue.name ? $1.count : 0) }
                    let beside = running.values.count { $0.queue == queue.name } + rows
                    #expect(beside < queue.slots, "seed \(seed): \(beside) run in \(queue.name)")
                    #expect(!queue.isPaused, "seed \(seed): \(queue.name) is paused")
                }
                running[id] = (request, queue)
            }
            #expect(machine.running.count == running.count, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func callersHearOnceAndQueuesKeepTheirBounds(seed: UInt64) {
        var walk = Walk(seed: seed)
        for _ in 0..<300 { walk.step() }
        // Everything comes to an end when nothing is in the way.
        walk.machine.mayBegin = true
        for place in walk.queues.indices { walk.queues[place].isPaused = false }
        walk.machine.learn(walk.queues, running: [])
        walk.others = []
        for _ in 0..<400 where !walk.machine.isEmpty {
            walk.machine.wayIsBack(to: walk.machine.hostsWithoutWay)
            if let wake = walk.machine.nextWake { walk.now = max(walk.now, wake) }
            walk.begin()
            for id in walk.running.keys.sorted() {
                walk.running[id] = nil
                walk.cut.remove(id)
                walk.take(walk.machine.ended(id, as: .succeeded, at: walk.now, using: &walk.random))
            }
        }
        #expect(
            walk.machine.isEmpty && walk.waiting.isEmpty,
            "seed \(seed): \(walk.waiting.count) wait for ever"
        )
    }
}
