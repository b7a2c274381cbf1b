internal import FerryCore
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// The connections of a transport: a ``WirePool`` and what it has opened.
final class ConnectionPool: Sendable {
    /// An exchange that waits for a connection.
    private struct Waiting {
        let exchange: Exchange
        let key: WireKey
        /// Ends the wait.
        var timer: Scheduled<Void>?
    }

    private struct State {
        var machine: WirePool
        var waiting: [WirePool.Waiter: Waiting] = [:]
        var openings: [WirePool.Connection: ConnectionOpening] = [:]
        var live: [WirePool.Connection: LiveConnection] = [:]
        var timer: (moment: Instant, task: Scheduled<Void>)?
        /// Called when nothing is left after a shutdown.
        var onEmpty: (@Sendable () -> Void)?
    }

    private let resources: ConnectionOpening.Resources
    private let state: Mutex<State>

    init(_ resources: ConnectionOpening.Resources, limits: WirePool.Limits) {
        self.resources = resources
        state = Mutex(State(machine: WirePool(limits)))
    }

    /// Finds a connection for an exchange, and sends its request.
    ///
    /// - Parameter patience: maximum wait for a connection; zero means no limit.
    func request(
        _ key: WireKey,
        _ need: WirePool.Need,
        for exchange: Exchange,
        within patience: Duration
    ) {
        change { state in
            let (waiter, actions) = state.machine.request(key, need, at: .uptime)
            guard exchange.wait(cancel: { [weak self] in self?.cancel(waiter) }) else {
                return actions + state.machine.cancel(waiter)
            }
            state.waiting[waiter] = Waiting(exchange: exchange, key: key)
            if case .give? = actions.last { return actions }
            if patience > .zero {
                let time = patience.timeAmount(orForever: .hours(24))
                state.waiting[waiter]?.timer = resources.loops.next().scheduleTask(in: time) { [weak self] in
                    self?.expire(waiter)
                }
            }
            return actions
        }
    }

    private func cancel(_ waiter: WirePool.Waiter) {
        change { state in
            state.waiting.removeValue(forKey: waiter)?.timer?.cancel()
            return state.machine.cancel(waiter)
        }
    }

    private func expire(_ waiter: WirePool.Waiter) {
        let expired = state.withLock { state -> (Exchange, ConnectionOpening.Step)? in
            guard let waiting = state.waiting.removeValue(forKey: waiter) else { return nil }
            let opening = state.openings.values.first { $0.key == waiting.key }
            return (waiting.exchange, opening?.step ?? .connecting)
        }
        // This also cancels its wait.
        if let (exchange, step) = expired { exchange.fail(OpeningFailure.tookTooLong(step)) }
    }

    /// A connection is open.
    func opened(_ number: WirePool.Connection, _ connection: LiveConnection) {
        change { state in
            // It may have closed as soon as it was open.
            guard state.openings.removeValue(forKey: number) != nil else { return [] }
            state.live[number] = connection
            // The pool may have decided to close it before it was open.
            if state.machine.isClosing(number) { return [.close(number)] }
            let actions = state.machine.opened(number, at: .uptime)
            if actions.isEmpty { connection.watch() }
            return actions
        }
    }

    /// A connection could not be opened.
    func failed(_ number: WirePool.Connection, _ failure: OpeningFailure) {
        change(failure) { state in
            state.openings[number] = nil
            return state.machine.failed(number)
        }
    }

    /// A connection is free for another request.
    ///
    /// - Parameter time: how long the server keeps it idle, if the server has said so.
    func released(_ number: WirePool.Connection, upTo time: Duration?) {
        change { $0.machine.released(number, upTo: time, at: .uptime) }
    }

    /// A connection is closed.
    ///
    /// - Parameter breakage: what broke it; `nil` for an orderly end.
    func closed(_ number: WirePool.Connection, because breakage: (any Error)?) {
        // A connection that closes while being opened has failed, so that such a peer is not connected to in a loop.
        change(.broken(.connecting, breakage)) { state in
            state.live[number] = nil
            let isOpening = state.openings.removeValue(forKey: number) != nil
            return isOpening ? state.machine.failed(number) : state.machine.closed(number)
        }
    }

    /// Closes all connections. Send no further request.
    ///
    /// - Parameter onEmpty: called once, when they are closed.
    func shutdown(_ onEmpty: @escaping @Sendable () -> Void) {
        change { state in
            state.onEmpty = onEmpty
            return state.machine.shutDown()
        }
    }

    private func tick() {
        change { state in
            state.timer = nil
            return state.machine.tick(at: .uptime)
        }
    }

    /// Changes the state, then carries out the actions.
    ///
    /// - Parameter failure: why a request fails when this leaves it without a connection.
    private func change(_ failure: OpeningFailure? = nil, _ body: (inout State) -> [WirePool.Action]) {
        let (steps, onEmpty) = state.withLock { state -> ([@Sendable () -> Void], (@Sendable () -> Void)?) in
            let steps = body(&state).compactMap { step($0, failure, &state) }
            adjustTimer(&state)
            guard state.machine.isEmpty, let onEmpty = state.onEmpty else { return (steps, nil) }
            state.onEmpty = nil
            state.timer?.task.cancel()
            return (steps, onEmpty)
        }
        for step in steps { step() }
        onEmpty?()
    }

    /// The step for an action, to be run outside the lock.
    private func step(
        _ action: WirePool.Action,
        _ failure: OpeningFailure?,
        _ state: inout State
    ) -> (@Sendable () -> Void)? {
        switch action {
        case .open(let number, let key):
            let opening = ConnectionOpening(number, key, for: self, resources)
            state.openings[number] = opening
            return { opening.start() }
        case .give(let number, let waiter):
            guard let live = state.live[number] else { return nil }
            // It no longer waits, so the connection is free for others.
            guard let exchange = leave(waiter, &state) else { return { self.released(number, upTo: nil) } }
            return { live.begin(exchange) }
        case .close(let number):
            let (opening, live) = (state.openings[number], state.live[number])
            return {
                opening?.cancel()
                live?.close()
            }
        case .fail(let waiter, let reason):
            guard let exchange = leave(waiter, &state) else { return nil }
            guard case .notOpened = reason, let failure else { return { exchange.fail(CancellationError()) } }
            return { exchange.fail(failure) }
        }
    }

    private func leave(_ waiter: WirePool.Waiter, _ state: inout State) -> Exchange? {
        let waiting = state.waiting.removeValue(forKey: waiter)
        waiting?.timer?.cancel()
        return waiting?.exchange
    }

    private func adjustTimer(_ state: inout State) {
        guard let next = state.machine.nextCheck else { return }
        if let timer = state.timer, timer.moment <= next { return }
        state.timer?.task.cancel()
        let task = resources.loops.next().scheduleTask(deadline: next.deadline) { [weak self] () -> Void in
            self?.tick()
        }
        state.timer = (next, task)
    }
}
