import FerryCore
import Synchronization

/// Fetches small results into memory: carries out what the machine decides, and feeds back what happened.
///
/// A separate task runs while there is anything to fetch; ``close()`` awaits it. The engine need not be running.
final class FetchRunner: Sendable {
    /// What is fetched. Callers with equal requests share one fetch.
    struct Request: Hashable, Sendable {
        var result: ResultCache.Request
        var limit: Int
    }

    private typealias Machine = FetchMachine<Request>

    private struct State {
        var machine = Machine()
        var tickets: [FetchCaller: ResultTicket<[UInt8]>] = [:]
        var latest: FetchCaller = 0
        /// The exchange of each attempt that runs.
        var begun: [FetchID: WatchedExchange] = [:]
        /// The task that runs, or ran last.
        var work: Task<Void, Never>?
        /// Wakes the task that runs.
        var waking: AsyncStream<Void>.Continuation?
        var isClosed = false

        /// Removes and returns the tickets of these callers. Resolve them outside the lock.
        mutating func take(_ callers: [FetchCaller]) -> [ResultTicket<[UInt8]>] {
            callers.compactMap { tickets.removeValue(forKey: $0) }
        }
    }

    /// Interval between checks of the network while a fetch waits for it, because a change may go unreported.
    static let lookInterval: Duration = .seconds(2)

    /// Makes attempts and claims begin in turns.
    let turnstile = Turnstile()
    private let seams: EngineSeams
    private let configuration: EngineConfiguration
    private let results: ResultCache
    private let network: NetworkWatch
    private let gate: ApplicationGate
    private let queueRates: QueueRates
    private let rate: EngineRate
    private let alarm = Alarm()
    private let bound = Mutex<@Sendable () -> Int>({ .max })
    private let room = Mutex<@Sendable () -> Void>({})
    private let state = Mutex(State())

    init(
        _ configuration: EngineConfiguration,
        seams: EngineSeams,
        network: NetworkWatch,
        gate: ApplicationGate,
        queueRates: QueueRates,
        rate: EngineRate
    ) {
        self.configuration = configuration
        self.seams = seams
        self.network = network
        self.gate = gate
        self.queueRates = queueRates
        self.rate = rate
        results = ResultCache(capacity: configuration.resultMemory)
    }

    /// Sets the limit of simultaneous fetches, and the callback that is called when a fetch has made room in a queue.
    func share(bound: @escaping @Sendable () -> Int, whenThereIsRoom: @escaping @Sendable () -> Void) {
        self.bound.withLock { $0 = bound }
        room.withLock { $0 = whenThereIsRoom }
    }

    /// The number of running fetches by queue and host.
    var running: [RunningCount] { state.withLock { $0.machine.running } }

    // MARK: Callers

    /// Asks for a result; it has its place in line when this returns.
    func fetch(_ call: FetchCall<Request>) -> ResultHandle {
        let ticket = ResultTicket<[UInt8]>()
        let now = seams.clock.now
        let caller = state.withLock { state -> FetchCaller? in
            guard !state.isClosed else { return nil }
            state.latest += 1
            state.tickets[state.latest] = ticket
            state.machine.ask(call, by: state.latest, at: now)
            if let waking = state.waking { waking.yield() } else { start(&state) }
            return state.latest
        }
        guard let caller else {
            ticket.end(.failure(CancellationError()))
            return ResultHandle(ticket: ticket, withdraw: {})
        }
        return ResultHandle(ticket: ticket, withdraw: { [weak self] in self?.withdraw(caller) })
    }

    private func withdraw(_ caller: FetchCaller) {
        let (ticket, actions) = state.withLock { state in
            (state.tickets.removeValue(forKey: caller), state.machine.withdraw(caller))
        }
        ticket?.end(.failure(CancellationError()))
        carryOut(actions)
        look()
    }

    /// Ends all fetches, and returns when all have ended.
    func close() async {
        let (tickets, work) = state.withLock { state in
            defer { state.tickets = [:] }
            state.isClosed = true
            return (state.tickets.sorted { $0.key < $1.key }.map(\.value), state.work)
        }
        for ticket in tickets { ticket.end(.failure(CancellationError())) }
        work?.cancel()
        await work?.value
    }

    /// Wakes the task.
    func look() {
        let waking = state.withLock { $0.waking }
        waking?.yield()
    }

    // MARK: The task

    private func start(_ state: inout State) {
        let (wakes, waking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.waking = waking
        let former = state.work
        state.work = Task(executorPreference: seams.executor) { [self] in
            await former?.value
            await run(wakes)
        }
        waking.yield()
    }

    /// The events that the task already watches.
    private struct Watching {
        var store = false
        var network = false
    }

    private func run(_ wakes: AsyncStream<Void>) async {
        let exchanges = OpenExchanges(executor: seams.executor)
        await withDiscardingTaskGroup { group in
            await exchanges.ending {
                var watching = Watching()
                for await _ in wakes {
                    await beginWhatHasRoom(in: exchanges)
                    guard !isOver() else { break }
                    wait(&watching, in: &group)
                }
            }
            group.cancelAll()
        }
        // It was cancelled, or nothing is left.
        state.withLock { state in
            guard state.isClosed else { return }
            state.machine = Machine()
            state.waking = nil
        }
    }

    /// Whether nothing is left to do; the next fetch starts another task then.
    private func isOver() -> Bool {
        state.withLock { state in
            guard state.machine.isEmpty else { return false }
            state.waking = nil
            return true
        }
    }

    /// Begins fetches that have room, in turns with the claims of transfers.
    private func beginWhatHasRoom(in exchanges: OpenExchanges) async {
        if gate.letsGo { carryOut(state.withLock { $0.machine.stepBack() }) }
        await turnstile.enter()
        defer { turnstile.leave() }
        do throws(StoreError) {
            try await learn()
        } catch {
            let tickets = state.withLock { state in state.take(state.machine.dropWaiting()) }
            for ticket in tickets { ticket.end(.failure(error)) }
        }
        let now = seams.clock.now
        rate.look(at: now, offset: seams.clock.offset(at: now))
        let (bound, mayBegin) = (bound.withLock { $0 }(), gate.mayBegin)
        let actions = state.withLock { state in
            guard !state.isClosed else { return [Machine.Action]() }
            (state.machine.bound, state.machine.mayBegin) = (bound, mayBegin)
            return state.machine.begin(at: now)
        }
        for case .begin(let id, let request, let queue) in actions {
            let watched = network.begin()
            state.withLock { $0.begun[id] = watched }
            exchanges.begin(watched) { await self.attempt(id, request, in: queue, watched) }
        }
        carryOut(actions)
    }

    /// Reads the settings of the queues, and what runs in them.
    private func learn() async throws(StoreError) {
        guard state.withLock({ $0.machine.standsInQueues }) else { return }
        let queues = try await seams.store.changedQueues()
        let others = try await seams.store.runningCounts()
        queueRates.set(queues)
        state.withLock { $0.machine.learn(queues, running: others) }
    }

    /// Resolves callers and cuts attempts. The task begins the new attempts.
    private func carryOut(_ actions: [Machine.Action], with bytes: [UInt8]? = nil) {
        for action in actions {
            switch action {
            case .begin: break
            case .cut(let id): state.withLock { $0.begun[id] }?.cut(.ordered)
            case .deliver(let callers):
                for ticket in state.withLock({ $0.take(callers) }) { ticket.end(.success(bytes ?? [])) }
            case .fail(let callers, let problem):
                for ticket in state.withLock({ $0.take(callers) }) { ticket.end(.failure(problem.shown)) }
            }
        }
    }

    /// Watches for the events that may end a wait, and then wakes the task.
    private func wait(_ watching: inout Watching, in group: inout DiscardingTaskGroup) {
        let (wake, waitsForRoom, isOffline) = state.withLock { state in
            (state.machine.nextWake, state.machine.waitsForRoom, !state.machine.hostsWithoutWay.isEmpty)
        }
        if let wake { alarm.set(for: wake, by: seams.clock, in: &group) { self.look() } }
        if waitsForRoom, !watching.store {
            watching.store = true
            group.addTask { for await _ in self.seams.store.changes() { self.look() } }
        }
        if isOffline, !watching.network {
            watching.network = true
            group.addTask { for await _ in self.seams.network.changes() { await self.lookForWays() } }
            group.addTask {
                while !Task.isCancelled {
                    await self.lookForWays()
                    guard await self.seams.clock.hasSlept(for: Self.lookInterval) else { return }
                }
            }
        }
    }

    private func lookForWays() async {
        var found: Set<String> = []
        for host in state.withLock({ $0.machine.hostsWithoutWay }).sorted()
        where await network.hasWay(to: host) {
            found.insert(host)
        }
        guard !found.isEmpty else { return }
        state.withLock { $0.machine.wayIsBack(to: found) }
        look()
    }

    // MARK: Attempts

    private func attempt(
        _ id: FetchID,
        _ request: Request,
        in queue: String?,
        _ watched: WatchedExchange
    ) async {
        var outcome = await watched.run { await self.outcome(of: request, in: queue, watched) }
        // A complete result counts, even if the attempt was cut meanwhile.
        if outcome.bytes == nil {
            switch watched.cut {
            case nil: break
            case .ordered?: outcome = .ended(.cut)
            case .lost(let problem)?: outcome = .ended(.failed(problem, to: watched.host))
            }
        }
        var random = seams.random
        let now = seams.clock.now
        let actions = state.withLock { state in
            state.begun[id] = nil
            return state.machine.ended(id, as: outcome.end, at: now, using: &random)
        }
        carryOut(actions, with: outcome.bytes)
        if state.withLock({ $0.machine.isBounded(queue) }) { room.withLock { $0 }() }
        look()
    }

    private enum Outcome: Sendable {
        case bytes([UInt8])
        case ended(FetchEnd)

        var end: FetchEnd {
            switch self {
            case .bytes: .succeeded
            case .ended(let end): end
            }
        }

        var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
    }

    private func outcome(
        of request: Request,
        in queue: String?,
        _ watched: WatchedExchange
    ) async -> Outcome {
        let own = SharedBucket(request.result.options.rateLimit)
        let fetcher = ResultFetcher(
            seams: seams,
            userAgent: configuration.userAgent,
            results: results,
            pace: Pace([own, rate.bucket] + [queue.map(queueRates.bucket)].compactMap(\.self)),
            watched: watched
        )
        do {
            return .bytes(try await fetcher.data(of: request.result, limit: request.limit))
        } catch let problem as Problem {
            guard let host = watched.host else { return .ended(.failed(problem, to: nil)) }
            return .ended(.failed(await network.judged(problem, of: host), to: host))
        } catch is CancellationError {
            return .ended(.cut)
        } catch {
            return .ended(.failed(.unexpected(error, met: "The fetch"), to: watched.host))
        }
    }
}

extension Problem {
    /// The failure for the caller, with the remedies of a fetch unless more exact ones are known.
    fileprivate var shown: TransferFailure {
        guard failure.remedies.isEmpty else { return failure }
        var failure = failure
        failure.remedies = disposition == .permanent ? [.checkURL] : [.retry]
        return failure
    }
}
