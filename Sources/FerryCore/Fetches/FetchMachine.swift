/// Decides when each result is fetched into memory, and what each caller gets.
///
/// A fetch need not survive the process, so it has no row. It still obeys its queue: slots, limit per host, order, priority,
/// pause and overflow. Running transfers count as well; ``learn(_:running:)`` reports them. Only another fetch gives way to
/// a fetch.
///
/// - Callers with equal requests share one fetch. Each has its own `retries` and `waitsForNetwork`.
/// - A repeated request makes the fetch the latest in its queue.
/// - A cut attempt keeps its slot until its end is reported.
package struct FetchMachine<Request: Hashable & Sendable>: Sendable {
    package typealias Action = FetchAction<Request>

    private var fetches: [FetchID: Fetch<Request>] = [:]
    /// The fetch of each request that is wanted.
    private var wanted: [Request: FetchID] = [:]
    /// The fetch of each caller.
    private var callers: [FetchCaller: FetchID] = [:]
    private var queues: [String: TransferQueue] = [:]
    /// The running transfers, which have rows.
    private var others: [RunningCount] = []
    /// When each queue was served last.
    private var turns: [String: Int64] = [:]
    private var latest: Int64 = 0
    private var latestMoment = Int64.min
    /// Maximum simultaneous fetches, over all queues.
    package var bound = Int.max
    /// Whether a fetch may begin.
    package var mayBegin = true

    /// A machine with nothing to do.
    package init() {}

    // MARK: What is asked

    /// Whether there is nothing to do, and nothing runs.
    package var isEmpty: Bool { fetches.isEmpty }

    /// The number of running fetches by queue and host.
    package var running: [RunningCount] {
        fetches.values.compactMap { fetch in
            fetch.isRunning ? RunningCount(queue: fetch.line, host: fetch.host, count: 1) : nil
        }
    }

    /// Whether a ready fetch waits for room.
    package var waitsForRoom: Bool { fetches.values.contains { $0.state == .ready } }

    /// Whether a fetch is in a queue. If so, call ``learn(_:running:)`` before ``begin(at:)``.
    package var standsInQueues: Bool { fetches.values.contains { $0.queue != nil } }

    /// The hosts without a route for which a fetch waits.
    package var hostsWithoutWay: Set<String> {
        Set(fetches.values.compactMap { if case .offline(let host) = $0.state { host } else { nil } })
    }

    /// When the next wait ends by itself; `nil` when none does.
    package var nextWake: Instant? {
        fetches.values.compactMap { if case .retrying(let moment, _) = $0.state { moment } else { nil } }
            .min()
    }

    /// Whether a queue has a limit, so a transfer may wait until a fetch ends.
    package func isBounded(_ queue: String?) -> Bool {
        let queue = self.queue(queue)
        return queue.slots > 0 || queue.perHost > 0
    }

    // MARK: What happens

    /// Updates the queues that were ever changed, and the counts of running transfers.
    package mutating func learn(_ queues: [TransferQueue], running others: [RunningCount]) {
        self.queues = Dictionary(queues.map { ($0.name, $0) }) { $1 }
        self.others = others
    }

    /// A caller asks for a result. The next ``begin(at:)`` decides what to do.
    package mutating func ask(_ call: FetchCall<Request>, by caller: FetchCaller, at now: Instant) {
        latest += 1
        latestMoment = max(latestMoment, now.milliseconds)
        let id = wanted[call.request] ?? FetchID(rawValue: latest)
        var fetch =
            fetches[id]
            ?? Fetch(
                request: call.request,
                host: call.host,
                firstHost: call.firstHost,
                queue: call.queue,
                priority: call.priority,
                since: latestMoment,
                asked: latest,
                callers: []
            )
        fetch.asked = latest
        fetch.priority = max(fetch.priority, call.priority)
        // A running fetch already has its slot.
        if fetch.queue != call.queue, !fetch.isRunning {
            (fetch.queue, fetch.since, fetch.isFirst) = (call.queue, latestMoment, false)
            fetch.isAwaitingAdmission = true
        }
        fetch.callers.append(
            .init(
                id: caller,
                failuresBefore: fetch.failures,
                retries: call.retries,
                waitsForNetwork: call.waitsForNetwork
            )
        )
        fetches[id] = fetch
        wanted[call.request] = id
        callers[caller] = id
    }

    /// A caller withdraws. The fetch ends when its last caller withdraws.
    package mutating func withdraw(_ caller: FetchCaller) -> [Action] {
        guard let id = callers.removeValue(forKey: caller) else { return [] }
        fetches[id]?.callers.removeAll { $0.id == caller }
        return endUnwanted(id)
    }

    /// An attempt has ended.
    package mutating func ended(
        _ id: FetchID,
        as end: FetchEnd,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard let fetch = fetches[id], case .running(let isCut) = fetch.state else { return [] }
        guard fetch.isWanted else {
            drop(id)
            return []
        }
        switch end {
        case .succeeded:
            let callers = fetch.callers.map(\.id)
            drop(id)
            return [.deliver(callers)]
        case .cut:
            fetches[id]?.state = .ready
            return []
        case .failed where isCut:
            fetches[id]?.state = .ready
            return []
        case .failed(let problem, let host):
            return failed(id, problem, to: host, at: now, using: &random)
        }
    }

    /// These hosts have a route, or it is unknown whether they have one.
    package mutating func wayIsBack(to hosts: Set<String>) {
        for (id, fetch) in fetches {
            if case .offline(let host) = fetch.state, hosts.contains(host) { fetches[id]?.state = .ready }
        }
    }

    /// Cuts all running fetches, because the application is in the background. They return to their line.
    package mutating func stepBack() -> [Action] {
        var actions: [Action] = []
        for (id, fetch) in ordered where fetch.state == .running(isCut: false) {
            fetches[id]?.state = .running(isCut: true)
            actions.append(.cut(id))
        }
        return actions
    }

    /// Drops all fetches that wait in queues, because the queues cannot be read. Returns their callers.
    package mutating func dropWaiting() -> [FetchCaller] {
        var dropped: [FetchCaller] = []
        for (id, fetch) in ordered where fetch.queue != nil && !fetch.isRunning {
            dropped += fetch.callers.map(\.id)
            drop(id)
        }
        return dropped
    }

    /// Admits new requests to their queues, and begins fetches while there is room.
    package mutating func begin(at now: Instant) -> [Action] {
        for (id, fetch) in fetches {
            guard case .retrying(let moment, let noted) = fetch.state,
                WaitCondition.retry(at: moment).hasEnded(at: now, noted: noted)
            else { continue }
            fetches[id]?.state = .ready
        }
        var actions: [Action] = []
        for (id, _) in fetches.filter(\.value.isAwaitingAdmission).sorted(by: {
            $0.value.asked < $1.value.asked
        }) {
            // It may have given way to a later fetch.
            if fetches[id] != nil { actions += admit(id) }
        }
        guard mayBegin else { return actions }
        return actions + draw(at: now)
    }

    // MARK: Decisions

    private func queue(_ name: String?) -> TransferQueue {
        guard let name else { return Self.unbounded }
        return queues[name] ?? TransferQueue(name)
    }

    /// The settings for fetches without a queue.
    private static var unbounded: TransferQueue {
        var queue = TransferQueue("")
        (queue.slots, queue.perHost) = (0, 0)
        return queue
    }

    /// The fetches in the order of their requests, so that the result does not depend on a dictionary's order.
    private var ordered: [(id: FetchID, fetch: Fetch<Request>)] {
        fetches.sorted { $0.value.asked < $1.value.asked }.map { (id: $0.key, fetch: $0.value) }
    }

    /// Admits a requested fetch: applies the overflow policy of its queue, so others may give way to it.
    private mutating func admit(_ id: FetchID) -> [Action] {
        guard let fetch = fetches[id] else { return [] }
        fetches[id]?.isAwaitingAdmission = false
        let queue = queue(fetch.queue)
        let beside = fetches.filter { other in
            other.key != id && other.value.queue == fetch.queue && other.value.isWanted
                && other.value.asked < fetch.asked
        }
        let admission: QueueAdmission
        switch queue.overflow {
        case .wait: return []
        case .cancelOldest:
            let running = beside.values.filter { $0.state == .running(isCut: false) }
            let ready = beside.values.count { $0.state == .ready && !$0.isAwaitingAdmission }
            let rows = others.reduce(0) { $0 + ($1.queue == queue.name ? $1.count : 0) }
            admission = queue.admission(running: running.map(\.number), waiting: ready + rows)
        case .cancelOldestAlsoWaiting:
            admission = queue.admission(
                beside: beside.values.map { AskedTransfer($0.number, asked: $0.asked) }
            )
        }
        guard case .front(let displaced) = admission else { return [] }
        fetches[id]?.isFirst = true
        let numbers = Set(displaced)
        return beside.filter { numbers.contains($0.value.number) }.sorted { $0.key < $1.key }
            .flatMap { giveWay($0.key, in: queue) }
    }

    private mutating func giveWay(_ id: FetchID, in queue: TransferQueue) -> [Action] {
        guard let fetch = fetches[id] else { return [] }
        let callers = fetch.callers.map(\.id)
        for caller in callers { self.callers[caller] = nil }
        fetches[id]?.callers = []
        let problem = Problem.permanent(
            .gaveWay,
            "It gave way to a newer one, because queue \(queue.name) was full and cancels the oldest.",
            remedies: [.callAgain, .letQueueWait(queue: queue.name)]
        )
        if fetch.isRunning {
            turns[queue.name] = ClaimPlan.turn(making: turns[queue.name], within: queue.slots)
        }
        return [.fail(callers, problem)] + endUnwanted(id)
    }

    private mutating func draw(at now: Instant) -> [Action] {
        let running = running
        let offline = hostsWithoutWay
        var standing: [TransferID: FetchID] = [:]
        var candidates: [ClaimCandidate] = []
        for (id, fetch) in fetches where fetch.state == .ready {
            // Without a route an attempt fails. It is made only if a caller wants that failure at once.
            let isHeld = offline.contains(fetch.firstHost) && fetch.callers.allSatisfy(\.waitsForNetwork)
            guard !isHeld else { continue }
            standing[fetch.number] = id
            candidates.append(fetch.candidate)
        }
        guard !candidates.isEmpty else { return [] }
        var plan = ClaimPlan(
            queues: queues.values + [Self.unbounded],
            running: others + running,
            turns: turns,
            at: now
        )
        let fronts = plan.strictQueues.mapValues { queue in
            let line = fetches.values.filter { $0.queue == queue.name }
            return Set(queue.front(of: line.map { ($0.candidate.place, $0.transferState) }))
        }
        var lines = ListedLines(candidates, fronts: fronts)
        let drawn = plan.draw(upTo: max(0, bound - running.count), from: &lines)
        turns.merge(plan.newTurns) { $1 }
        var actions: [Action] = []
        for id in drawn.compactMap({ standing[$0.id] }) {
            guard let fetch = fetches[id] else { continue }
            fetches[id]?.state = .running(isCut: false)
            actions.append(.begin(id, fetch.request, queue: fetch.queue))
        }
        return actions
    }

    private mutating func failed(
        _ id: FetchID,
        _ problem: Problem,
        to host: String?,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [Action] {
        guard var fetch = fetches[id] else { return [] }
        fetch.isFirst = false
        var actions: [Action] = []
        switch problem.disposition {
        case .condition(.network) where problem.isCut && !fetch.callers.allSatisfy(\.waitsForNetwork):
            // The next connection shows whether there is a route.
            fetch.state = .ready
        case .condition(.network):
            actions += part(&fetch, problem) { !$0.waitsForNetwork }
            fetch.state = .offline(host: host ?? fetch.firstHost)
        case .condition, .permanent:
            actions += part(&fetch, problem) { _ in true }
        case .transient(let retryAfter):
            fetch.failures += 1
            let failures = fetch.failures
            let isHopeless = problem.isUnknownHost && failures >= RetryPolicy.unknownHostAttempts
            for caller in fetch.callers {
                let policy = RetryPolicy(retries: caller.retries)
                let attempt = failures - caller.failuresBefore
                guard isHopeless || attempt >= policy.attempts else { continue }
                let failure = policy.exhausted(after: problem.failure, attempt: attempt)
                actions += part(&fetch, Problem(failure, problem.disposition)) { $0.id == caller.id }
            }
            let delay = RetryPolicy(retries: .max).delay(
                afterAttempt: failures,
                retryAfter: retryAfter,
                using: &random
            )
            fetch.state = .retrying(at: now.advanced(by: delay), noted: now)
        }
        fetches[id] = fetch
        if !fetch.isWanted { drop(id) }
        return actions
    }

    /// Removes the callers that do not wait any longer.
    private mutating func part(
        _ fetch: inout Fetch<Request>,
        _ problem: Problem,
        _ isOver: (Fetch<Request>.Caller) -> Bool
    ) -> [Action] {
        let parting = fetch.callers.filter(isOver).map(\.id)
        guard !parting.isEmpty else { return [] }
        fetch.callers.removeAll(where: isOver)
        for caller in parting { callers[caller] = nil }
        return [.fail(parting, problem)]
    }

    /// Ends a fetch that no caller wants any more.
    private mutating func endUnwanted(_ id: FetchID) -> [Action] {
        guard let fetch = fetches[id], !fetch.isWanted else { return [] }
        if wanted[fetch.request] == id { wanted[fetch.request] = nil }
        guard case .running(let isCut) = fetch.state else {
            drop(id)
            return []
        }
        fetches[id]?.state = .running(isCut: true)
        return isCut ? [] : [.cut(id)]
    }

    /// Forgets a fetch.
    private mutating func drop(_ id: FetchID) {
        guard let fetch = fetches.removeValue(forKey: id) else { return }
        if wanted[fetch.request] == id { wanted[fetch.request] = nil }
        for caller in fetch.callers { callers[caller.id] = nil }
        if !fetches.values.contains(where: { $0.queue == fetch.queue }) { turns[fetch.line] = nil }
    }
}
