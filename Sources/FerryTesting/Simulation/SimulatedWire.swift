import FerryCore
import HTTPTypes
internal import Synchronization

/// The connections of one process: a ``WirePool`` without sockets.
///
/// It complains when a request gets a connection that it cannot use, when there are too many, and when one is left.
final class SimulatedWire: Sendable {
    /// A request that waits for a connection.
    private struct Waiting {
        let key: WireKey
        let need: WirePool.Need
        /// Whether it may arrive twice. Judged by what its server knows, and not by the plan that is tested.
        let isRepeatable: Bool
        let ticket: AsyncThrowingStream<SimulatedConnection, any Error>.Continuation
    }

    /// What the pool has been told of a connection.
    private enum Use {
        case opening
        /// A request may get it before this moment.
        case idle(until: Instant)
        case busy
        case closing
    }

    private struct Line {
        let connection: SimulatedConnection
        var use = Use.opening
    }

    private struct State {
        var pool: WirePool
        var waiting: [WirePool.Waiter: Waiting] = [:]
        var lines: [WirePool.Connection: Line] = [:]
    }

    private let world: SimulatedWorld
    private let process: SimulatedProcess
    private let limits: WirePool.Limits
    private let state: Mutex<State>

    init(world: SimulatedWorld, process: SimulatedProcess) {
        self.world = world
        self.process = process
        var limits = WirePool.Limits()
        limits.perKey = world.dice.pick([1, 2, limits.perKey])
        limits.total = world.dice.pick([2, 3, limits.total])
        limits.idleTime = world.dice.pick([.seconds(1), limits.idleTime])
        self.limits = limits
        state = Mutex(State(pool: WirePool(limits)))
    }

    // MARK: Requests

    /// Carries a request, and sends it again when ``SendPlan`` says so.
    ///
    /// - Parameter body: is given the connection and the time when the request's body is sent.
    func carry<Outcome: Sendable>(
        _ request: TransportRequest,
        _ body: (SimulatedConnection, WireConnection.BodyStart) async throws -> Outcome
    ) async throws -> Outcome {
        var options = request.connection
        options.proxy = world.dice.happens(200) ? world.dice.pick(Self.proxies) : nil
        let key = WireKey(request.url, options)
        var plan = SendPlan(isRepeatable: request.isRepeatable)
        while true {
            var message = WireRequest(request, over: key.route, closes: false, mayExpect: false)
            if case .streamed(let length, _) = message.body, plan.mayExpect {
                message.body = .streamed(length: length, expectsContinue: world.dice.happens(300))
            }
            do {
                let connection = try await connect(
                    key,
                    plan.need,
                    isRepeatable: !world.service.isUnsafe(request)
                )
                return try await carry(message, over: connection, body)
            } catch is SimulatedConnection.ExpectationFailed {
                plan.dropExpectation()
            } catch let loss as ExchangeLoss {
                guard plan.resends(after: loss) else {
                    if case .fault(let fault) = loss, !fault.isClosing {
                        throw Problem.transient(.badResponse, "An answer \(fault.explanation), as was drawn.")
                    }
                    throw Problem.transient(.connectionLost, "The connection was lost, as was drawn.")
                }
                world.trace.count(.resent, process.number, "\(loss)")
            }
        }
    }

    private static let proxies = [
        Proxy(scheme: .http, host: "proxy.example", port: 3128),
        Proxy(scheme: .socks5h, host: "socks.example", port: 1080),
    ]

    private func carry<Outcome: Sendable>(
        _ message: WireRequest,
        over connection: SimulatedConnection,
        _ body: (SimulatedConnection, WireConnection.BodyStart) async throws -> Outcome
    ) async throws -> Outcome {
        do {
            let outcome = try await body(connection, connection.begin(message))
            if case .free(let time) = try connection.finish() {
                release(connection, upTo: time)
            } else {
                drop(connection)
            }
            return outcome
        } catch {
            drop(connection)
            throw error
        }
    }

    /// Waits for a connection.
    private func connect(
        _ key: WireKey,
        _ need: WirePool.Need,
        isRepeatable: Bool
    ) async throws -> SimulatedConnection {
        disturbIdle(key)
        let (arrivals, ticket) = AsyncThrowingStream<SimulatedConnection, any Error>.makeStream()
        let now = world.uptime
        let waiter = change { state in
            let (waiter, actions) = state.pool.request(key, need, at: now)
            state.waiting[waiter] = Waiting(
                key: key,
                need: need,
                isRepeatable: isRepeatable,
                ticket: ticket
            )
            return (waiter, actions)
        }
        for try await connection in arrivals { return connection }
        change { state in
            ((), state.waiting.removeValue(forKey: waiter) == nil ? [] : state.pool.cancel(waiter))
        }
        throw CancellationError()
    }

    // MARK: Connections

    /// A server closes a connection that it has kept for long enough, and the pool closes others.
    private func disturbIdle(_ key: WireKey) {
        let now = world.uptime
        if world.dice.happens(500) { change { ((), $0.pool.tick(at: now)) } }
        guard world.dice.happens(world.rates.network * 2) else { return }
        let idle = state.withLock { state in
            state.lines.values.map(\.connection).filter { $0.key == key && $0.isIdle }
        }
        guard !idle.isEmpty else { return }
        world.trace.count(.connectionLeft, process.number)
        let connection = world.dice.pick(idle.sorted { $0.number.number < $1.number.number })
        switch world.dice.number(in: 0..<3) {
        case 0: connection.leave()
        case 1:
            // The pool does not know it yet.
            connection.end()
        default:
            connection.end()
            drop(connection)
        }
    }

    private func open(_ connection: SimulatedConnection) async {
        await world.linger()
        let isRefused = world.network.isAway || world.dice.happens(world.rates.network / 4)
        let (now, number) = (world.uptime, connection.number)
        change { state in
            guard !isRefused, !state.pool.isClosing(number) else {
                state.lines[number] = nil
                return ((), state.pool.failed(number))
            }
            connection.open()
            state.lines[number]?.use = .idle(until: now.advanced(by: limits.idleTime))
            return ((), state.pool.opened(number, at: now))
        }
    }

    private func release(_ connection: SimulatedConnection, upTo time: Duration?) {
        let now = world.uptime
        let kept = min(limits.idleTime, time ?? limits.idleTime)
        change { state in
            if state.pool.isClosing(connection.number) {
                state.lines[connection.number] = nil
                return ((), state.pool.closed(connection.number))
            }
            state.lines[connection.number]?.use = .idle(until: now.advanced(by: kept))
            return ((), state.pool.released(connection.number, upTo: time, at: now))
        }
    }

    private func drop(_ connection: SimulatedConnection) {
        connection.close()
        change { state in
            state.lines[connection.number] = nil
            return ((), state.pool.closed(connection.number))
        }
    }

    /// Changes the state, then carries out the actions of the pool.
    @discardableResult
    private func change<Outcome>(_ body: (inout State) -> (Outcome, [WirePool.Action])) -> Outcome {
        let (outcome, steps) = state.withLock { state in
            let (outcome, actions) = body(&state)
            return (outcome, actions.compactMap { step($0, &state) })
        }
        for step in steps { step() }
        return outcome
    }

    /// The step for an action, to be run outside the lock.
    private func step(_ action: WirePool.Action, _ state: inout State) -> (() -> Void)? {
        switch action {
        case .open(let number, let key):
            let connection = SimulatedConnection(number, key, world: world, process: process)
            state.lines[number] = Line(connection: connection)
            let ofKey = state.lines.values.count { $0.connection.key == key }
            if ofKey > limits.perKey || state.lines.count > limits.total {
                complain("there are \(ofKey) connections of a key, and \(state.lines.count) in all")
            }
            return { self.world.attend { await self.open(connection) } }
        case .give(let number, let waiter):
            let waiting = state.waiting.removeValue(forKey: waiter)
            guard let waiting, let line = state.lines[number], serves(line, waiting) else {
                complain("a request gets a connection that it cannot use")
                return { waiting?.ticket.finish() }
            }
            state.lines[number]?.use = .busy
            world.trace.note("connection", process.number, Int64(number.number), "\(line.connection.isUsed)")
            return {
                guard case .terminated = waiting.ticket.yield(line.connection) else { return }
                // It no longer waits, so the connection is free for others.
                self.release(line.connection, upTo: nil)
            }
        case .close(let number):
            guard let line = state.lines[number] else { return nil }
            state.lines[number]?.use = .closing
            // One that is being opened, or in use, is closed once that is done.
            guard case .idle = line.use else { return nil }
            return {
                self.world.attend {
                    await self.world.linger()
                    self.drop(line.connection)
                }
            }
        case .fail(let waiter, let failure):
            guard let waiting = state.waiting.removeValue(forKey: waiter) else { return nil }
            return { waiting.ticket.finish(throwing: self.problem(of: failure)) }
        }
    }

    /// Whether a connection can carry a request now.
    private func serves(_ line: Line, _ waiting: Waiting) -> Bool {
        guard case .idle(let until) = line.use, world.uptime <= until else { return false }
        let mayBeUsed = waiting.need == .any && waiting.isRepeatable
        return line.connection.key == waiting.key && (mayBeUsed || !line.connection.isUsed)
    }

    private func problem(of failure: WirePool.Failure) -> any Error {
        guard case .notOpened = failure else { return CancellationError() }
        if world.network.isAway { return world.noRoute() }
        world.trace.count(.connectionRefused, process.number)
        return world.dice.pick([
            Problem.transient(.connectionRefused, "Nothing listens there, as was drawn."),
            .condition(.network, .networkUnreachable, "No route, as was drawn."),
        ])
    }

    private func complain(_ text: String) {
        if process.isRunning { world.trace.complain("wire: \(text)") }
    }

    // MARK: The end

    /// The process is dead: its requests get no connection any more.
    func die() { change { ((), $0.pool.shutDown()) } }

    /// Closes all connections. No exchange is under way.
    func shutdown() async {
        let busy = state.withLock { state in
            state.waiting.count
                + state.lines.values.count { if case .busy = $0.use { true } else { false } }
        }
        if busy > 0 { complain("\(busy) requests have no end") }
        die()
        do {
            for _ in 0..<100 where !state.withLock({ $0.pool.isEmpty }) {
                try await world.clock.sleep(for: .milliseconds(100))
            }
        } catch {
            return
        }
        if !state.withLock({ $0.pool.isEmpty && $0.lines.isEmpty }) { complain("connections are left") }
    }
}
