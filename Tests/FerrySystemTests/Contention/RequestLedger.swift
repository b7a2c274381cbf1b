import Synchronization

/// Records the requests that a server got while its clients were killed: which requests for the same file overlapped, and
/// how many kills came before each.
final class RequestLedger: Sendable {
    /// One request for a file.
    struct Visit: Sendable {
        /// Its place among all beginnings and ends of requests.
        var begin: Int
        /// The place of its end, when it is over.
        var end: Int?
        /// Whether its answer is due. Until then its client, if alive, runs the transfer. Afterwards the transfer may be over
        /// before the end is recorded here.
        var isAnswered = false
        /// Whether the client was there to the end.
        var isServed = false
        /// The number of kills that were over when it began.
        var killsOver: Int
        /// The number of kills that had begun when it began.
        var killsBegun: Int
        /// Whether its client was gone before the server read it. It was sent at some earlier time, before any number of
        /// kills, so nothing follows from the kills that were counted when it was read.
        var isLeftBehind: Bool
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
        /// For each unanswered request of the narrow queue, the number of kills that had begun when it began.
        var unanswered: [Place: Int] = [:]
        var breaches: [String] = []
    }

    private let plan: ContentionPlan

    private let state = Mutex(State())

    init(of plan: ContentionPlan) {
        self.plan = plan
    }

    /// The number of requests.
    var requests: Int { state.withLock { $0.begun } }
    /// The number of files that were served whole.
    var served: Int { state.withLock { $0.served.count } }
    /// The number of kills.
    var kills: Int { state.withLock { $0.killsOver } }

    /// Records a request.
    ///
    /// - Parameter isLeftBehind: whether its client is gone. It is evaluated while no kill can begin or end in this record,
    ///   so a client that was there then had not been killed by any kill that is recorded as over.
    /// - Returns: the number with which to record its end.
    func begin(_ path: String, isLeftBehind: () -> Bool = { false }) -> Int {
        state.withLock { state in
            let visit = Visit(
                begin: state.events,
                killsOver: state.killsOver,
                killsBegun: state.killsBegun,
                isLeftBehind: isLeftBehind()
            )
            state.events += 1
            state.begun += 1
            if !visit.isLeftBehind { state.breaches += breaches(of: path, in: state) }
            state.visits[path, default: []].append(visit)
            let number = state.visits[path, default: []].count - 1
            if plan.isNarrow(path), !visit.isLeftBehind {
                state.unanswered[Place(path: path, number: number)] = state.killsBegun
            }
            return number
        }
    }

    /// The rules that a request breaks by beginning now.
    private func breaches(of path: String, in state: State) -> [String] {
        var found: [String] = []
        if plan.isNarrow(path) {
            // Whether the clients of requests before the latest kill are alive is unknown.
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

    /// Records that a process is about to be killed.
    func killBegins() { state.withLock { $0.killsBegun += 1 } }

    /// Records that the process is dead.
    func killIsOver() { state.withLock { $0.killsOver += 1 } }

    /// Signs that a file had two owners at once, was fetched again without need, or was begun too early.
    var violations: [String] {
        state.withLock { state in
            state.breaches
                + state.visits.sorted { $0.key < $1.key }.flatMap { path, visits in
                    let known = visits.filter { !$0.isLeftBehind }
                    return zip(known, known.dropFirst()).flatMap { former, next in
                        Self.violations(former, next).map { "\(path): \($0)" }
                    }
                }
        }
    }

    private static func violations(_ former: Visit, _ next: Visit) -> [String] {
        var found: [String] = []
        if former.isServed, former.end.map({ $0 > next.begin }) != false {
            found.append("it was asked for while another client was getting it")
        }
        if next.killsBegun <= former.killsOver {
            found.append("it was asked for again although no process had been killed")
        }
        return found
    }
}
