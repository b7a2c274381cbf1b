import Synchronization

/// What a server was asked for while the processes that ask were killed: which requests for the same file overlapped, and
/// how often somebody was killed before each.
final class RequestLedger: Sendable {
    /// One request for a file.
    struct Visit: Sendable {
        /// Its place among all beginnings and ends of requests.
        var begin: Int
        /// The place of its end, when it is over.
        var end: Int?
        /// Whether it has waited for its answer as long as it has to. Until then its client, if alive, runs the transfer;
        /// afterwards that may be over before its end is noted here.
        var isAnswered = false
        /// Whether the client was there to the end.
        var isServed = false
        /// How many kills were over when it began,
        var killsOver: Int
        /// and how many had begun.
        var killsBegun: Int
    }

    private struct Place: Hashable {
        var path: String
        var number: Int
    }

    private struct State {
        var visits: [String: [Visit]] = [:]
        var served: Set<String> = []
        var events = 0
        var begun = 0
        var killsBegun = 0
        var killsOver = 0
        /// How many kills had begun when each request for a file of the narrow queue began that waits for its answer.
        var unanswered: [Place: Int] = [:]
        var breaches: [String] = []
    }

    private let plan: ContentionPlan

    private let state = Mutex(State())

    init(of plan: ContentionPlan) {
        self.plan = plan
    }

    /// How many requests there were.
    var requests: Int { state.withLock { $0.begun } }
    /// How many files somebody has got.
    var served: Int { state.withLock { $0.served.count } }
    /// How many kills there were.
    var kills: Int { state.withLock { $0.killsOver } }

    /// Notes a request; returns what to tell at its end.
    func begin(_ path: String) -> Int {
        state.withLock { state in
            let visit = Visit(begin: state.events, killsOver: state.killsOver, killsBegun: state.killsBegun)
            state.events += 1
            state.begun += 1
            state.breaches += breaches(of: path, in: state)
            state.visits[path, default: []].append(visit)
            let number = state.visits[path, default: []].count - 1
            if plan.isNarrow(path) {
                state.unanswered[Place(path: path, number: number)] = state.killsBegun
            }
            return number
        }
    }

    /// What a request breaks by beginning now.
    private func breaches(of path: String, in state: State) -> [String] {
        var found: [String] = []
        if plan.isNarrow(path) {
            // Of those that began before the latest kill nobody knows whether their clients are alive.
            let running = state.unanswered.values.count { $0 == state.killsBegun }
            if running >= ContentionPlan.narrowSlots {
                found.append("\(path): it was begun beside \(running) of its queue")
            }
        }
        if let awaited = plan.awaited(by: path) {
            let isThere = state.visits["/\(awaited)"]?.contains(where: \.isAnswered) ?? false
            if !isThere { found.append("\(path): it was begun before \(awaited) was there") }
        }
        return found
    }

    /// A request is about to be answered.
    func answers(_ path: String, _ number: Int) {
        state.withLock { state in
            state.visits[path]?[number].isAnswered = true
            state.unanswered[Place(path: path, number: number)] = nil
        }
    }

    /// Notes the end of a request.
    func end(_ path: String, _ number: Int, isServed: Bool) {
        state.withLock { state in
            state.visits[path]?[number].end = state.events
            state.visits[path]?[number].isServed = isServed
            state.events += 1
            if isServed { state.served.insert(path) }
        }
    }

    /// Somebody is about to be killed.
    func killBegins() { state.withLock { $0.killsBegun += 1 } }

    /// Somebody is dead.
    func killIsOver() { state.withLock { $0.killsOver += 1 } }

    /// What shows that a file had two owners at once, was fetched again without need, or begun too early.
    var violations: [String] {
        state.withLock { state in
            state.breaches
                + state.visits.sorted { $0.key < $1.key }.flatMap { path, visits in
                    zip(visits, visits.dropFirst()).flatMap { former, next in
                        Self.violations(former, next).map { "\(path): \($0)" }
                    }
                }
        }
    }

    private static func violations(_ former: Visit, _ next: Visit) -> [String] {
        var found: [String] = []
        if former.isServed, former.end.map({ $0 > next.begin }) != false {
            found.append("somebody asked for it while somebody else was getting it")
        }
        if next.killsBegun <= former.killsOver {
            found.append("it was asked for again though nobody had been killed")
        }
        return found
    }
}
