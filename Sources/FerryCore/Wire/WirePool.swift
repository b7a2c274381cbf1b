/// Decides which request gets which connection, and when connections are opened and closed, without I/O.
///
/// Its owner calls a method for each event and carries out the actions that it returns. Time is an argument.
///
/// - Within a key, the oldest request gets the first connection that it can use.
/// - When all connections are in use, the next free one goes to the key with the oldest request, so no key starves.
/// - A connection counts until its owner reports it closed, so the limits always hold.
package struct WirePool: Sendable {
    /// The bounds.
    package struct Limits: Hashable, Sendable {
        /// Maximum number of connections of one key.
        package var perKey = 4_096
        /// Maximum number of connections in all.
        package var total = 8_192
        /// How long an idle connection is kept. Servers close idle ones after some seconds, and a request sent at that
        /// moment is lost.
        package var idleTime = Duration.seconds(15)
        /// How long before the server's announced time a connection is closed here.
        package var margin = Duration.seconds(1)

        /// The usual bounds.
        package init() {}
    }

    /// A request that waits; later ones have larger numbers.
    package struct Waiter: Hashable, Sendable, Comparable {
        package let number: UInt64
        package static func < (lhs: Waiter, rhs: Waiter) -> Bool { lhs.number < rhs.number }
    }

    /// A connection.
    package struct Connection: Hashable, Sendable {
        package let number: UInt64
    }

    /// Which connections a request can use.
    package enum Need: Hashable, Sendable {
        /// Any.
        case any
        /// One that has just been opened: the request was lost on another one, or must not be sent twice.
        case fresh
    }

    /// What the owner has to do.
    package enum Action: Hashable, Sendable {
        /// Open a connection; then call ``opened(_:at:)`` or ``failed(_:)``.
        case open(Connection, WireKey)
        /// Send a request on a connection; then call ``released(_:upTo:at:)`` or ``closed(_:)``.
        case give(Connection, to: Waiter)
        /// Close a connection, or stop opening it; then call ``closed(_:)``.
        case close(Connection)
        /// A request gets no connection.
        case fail(Waiter, Failure)
    }

    /// Why a request gets no connection.
    package enum Failure: Hashable, Sendable {
        /// This connection could not be opened.
        case notOpened(Connection)
        /// The pool is shut down.
        case shutDown
    }

    /// How a connection is used.
    private enum State {
        /// Being opened. Exits: `busy`, `idle`, `closing`, gone.
        case opening
        /// Carries a request. Exits: `busy` with the next one, `idle`, `closing`, gone.
        case busy
        /// Waits for a request up to this moment. Exits: `busy`, `closing`, gone.
        case idle(until: Instant)
        /// Its owner was told to close it. Exits: gone.
        case closing
    }

    /// What is known of a connection.
    private struct Entry {
        let key: WireKey
        var state: State
    }

    /// The requests and connections of one key.
    private struct Branch {
        var waiting = WaitingLine<Waiter>()
        var waitingForFresh = WaitingLine<Waiter>()
        var opening = WaitingLine<Connection>()
        var idle = WaitingLine<Connection>()
        /// Connections in any state.
        var count = 0
        var closing = 0

        var demand: Int { waiting.count + waitingForFresh.count }

        /// The number of requests that need a fresh connection, minus those being opened or closed for them.
        var lacking: Int { waitingForFresh.count - opening.count - closing }

        /// The oldest request.
        var oldest: Waiter? {
            guard let one = waiting.first, let other = waitingForFresh.first else {
                return waiting.first ?? waitingForFresh.first
            }
            return min(one, other)
        }
    }

    private let limits: Limits
    private var connections: [Connection: Entry] = [:]
    private var branches: [WireKey: Branch] = [:]
    private var keys: [Waiter: WireKey] = [:]
    /// All idle connections, the longest idle first.
    private var idle = WaitingLine<Connection>()
    /// The keys that want another connection, and only the total limit prevents it.
    private var hungry = WaitingLine<WireKey>()
    private var closing = 0
    private var isShutDown = false
    private var latest: UInt64 = 0

    /// When ``tick(at:)`` has something to do; `nil` for never.
    package private(set) var nextCheck: Instant?

    /// An empty pool.
    package init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Whether it has neither connections nor requests.
    package var isEmpty: Bool { connections.isEmpty && keys.isEmpty }

    /// Whether the owner was told to close a connection and has not reported it closed.
    package func isClosing(_ connection: Connection) -> Bool {
        if case .closing? = connections[connection]?.state { true } else { false }
    }

    // MARK: - Requests

    /// A request needs a connection.
    package mutating func request(
        _ key: WireKey,
        _ need: Need,
        at now: Instant
    ) -> (waiter: Waiter, actions: [Action]) {
        latest += 1
        let waiter = Waiter(number: latest)
        guard !isShutDown else { return (waiter, [.fail(waiter, .shutDown)]) }
        var actions: [Action] = []
        if need == .any, let connection = takeIdle(key, at: now, &actions) {
            return (waiter, actions + [.give(connection, to: waiter)])
        }
        keys[waiter] = key
        switch need {
        case .any: branches[key, default: Branch()].waiting.append(waiter)
        case .fresh: branches[key, default: Branch()].waitingForFresh.append(waiter)
        }
        feed(key, &actions)
        return (waiter, actions)
    }

    /// A request no longer needs a connection. Has no effect if it already has one.
    package mutating func cancel(_ waiter: Waiter) -> [Action] {
        guard let key = keys.removeValue(forKey: waiter) else { return [] }
        var actions: [Action] = []
        branches[key]?.waiting.remove(waiter)
        branches[key]?.waitingForFresh.remove(waiter)
        if let branch = branches[key], branch.opening.count > branch.demand,
            let connection = branches[key]?.opening.popLast()
        {
            close(connection, &actions)
        }
        feed(key, &actions)
        return actions
    }

    // MARK: - Connections

    /// A connection is open.
    package mutating func opened(_ connection: Connection, at now: Instant) -> [Action] {
        guard let entry = connections[connection], case .opening = entry.state else { return [] }
        var actions: [Action] = []
        branches[entry.key]?.opening.remove(connection)
        if let waiter = branches[entry.key]?.oldest {
            give(connection, to: waiter, &actions)
        } else {
            keep(connection, until: now.advanced(by: limits.idleTime))
        }
        feed(entry.key, &actions)
        return actions
    }

    /// A connection could not be opened. The oldest request that waited for it fails; its caller decides whether to try
    /// again.
    package mutating func failed(_ connection: Connection) -> [Action] {
        guard let entry = connections[connection], case .opening = entry.state else {
            return closed(connection)
        }
        var actions: [Action] = []
        branches[entry.key]?.opening.remove(connection)
        if let branch = branches[entry.key], branch.demand > branch.opening.count, let waiter = branch.oldest
        {
            leave(waiter)
            actions.append(.fail(waiter, .notOpened(connection)))
        }
        return actions + closed(connection)
    }

    /// A connection has carried a request and is free for another.
    ///
    /// - Parameter time: how long the server keeps it idle, if the server has said so.
    package mutating func released(
        _ connection: Connection,
        upTo time: Duration?,
        at now: Instant
    ) -> [Action] {
        guard let entry = connections[connection], case .busy = entry.state else { return [] }
        var actions: [Action] = []
        if isYielded(by: entry.key) || isInTheWay(of: entry.key) {
            close(connection, &actions)
        } else if let waiter = branches[entry.key]?.waiting.first {
            give(connection, to: waiter, &actions)
            // The key was served, so it moves behind the others that want a connection.
            hungry.remove(entry.key)
        } else {
            let kept = min(limits.idleTime, time.map { max(.zero, $0 - limits.margin) } ?? limits.idleTime)
            keep(connection, until: now.advanced(by: kept))
        }
        feed(entry.key, &actions)
        return actions
    }

    /// A connection is closed, by either side and for any reason.
    package mutating func closed(_ connection: Connection) -> [Action] {
        guard let entry = connections.removeValue(forKey: connection) else { return [] }
        var actions: [Action] = []
        switch entry.state {
        case .opening: branches[entry.key]?.opening.remove(connection)
        case .busy: break
        case .idle: forget(idle: connection, of: entry.key)
        case .closing:
            closing -= 1
            branches[entry.key]?.closing -= 1
        }
        branches[entry.key]?.count -= 1
        feed(entry.key, &actions)
        return actions
    }

    /// Time has passed: closes what was idle for too long.
    package mutating func tick(at now: Instant) -> [Action] {
        var actions: [Action] = []
        nextCheck = nil
        for connection in idle.elements {
            guard case .idle(let until)? = connections[connection]?.state else { continue }
            if until <= now {
                close(connection, &actions)
            } else {
                nextCheck = min(nextCheck ?? until, until)
            }
        }
        return actions
    }

    /// Fails all requests and closes all connections. Send no further request.
    package mutating func shutDown() -> [Action] {
        isShutDown = true
        var actions = keys.keys.sorted().map { Action.fail($0, .shutDown) }
        for waiter in keys.keys.sorted() { leave(waiter) }
        for connection in connections.keys.sorted(by: { $0.number < $1.number }) {
            close(connection, &actions)
        }
        hungry = WaitingLine()
        return actions
    }

    // MARK: - Steps

    /// The idle connection of a key that was used last: the server will keep it for the longest time.
    private mutating func takeIdle(_ key: WireKey, at now: Instant, _ actions: inout [Action]) -> Connection?
    {
        while let connection = branches[key]?.idle.popLast() {
            guard case .idle(let until)? = connections[connection]?.state else { continue }
            idle.remove(connection)
            guard until > now else {
                close(connection, &actions)
                continue
            }
            connections[connection]?.state = .busy
            return connection
        }
        return nil
    }

    private mutating func give(_ connection: Connection, to waiter: Waiter, _ actions: inout [Action]) {
        leave(waiter)
        connections[connection]?.state = .busy
        actions.append(.give(connection, to: waiter))
    }

    private mutating func leave(_ waiter: Waiter) {
        guard let key = keys.removeValue(forKey: waiter) else { return }
        branches[key]?.waiting.remove(waiter)
        branches[key]?.waitingForFresh.remove(waiter)
    }

    private mutating func keep(_ connection: Connection, until: Instant) {
        guard let key = connections[connection]?.key else { return }
        connections[connection]?.state = .idle(until: until)
        branches[key]?.idle.append(connection)
        idle.append(connection)
        nextCheck = min(nextCheck ?? until, until)
    }

    private mutating func forget(idle connection: Connection, of key: WireKey) {
        branches[key]?.idle.remove(connection)
        idle.remove(connection)
    }

    private mutating func close(_ connection: Connection, _ actions: inout [Action]) {
        guard let entry = connections[connection] else { return }
        switch entry.state {
        case .closing: return
        case .opening: branches[entry.key]?.opening.remove(connection)
        case .idle: forget(idle: connection, of: entry.key)
        case .busy: break
        }
        connections[connection]?.state = .closing
        closing += 1
        branches[entry.key]?.closing += 1
        actions.append(.close(connection))
    }

    /// Whether a key may open a connection, and has requests for which none is being opened.
    private func isHungry(_ branch: Branch) -> Bool {
        branch.demand > branch.opening.count && branch.count < limits.perKey
    }

    /// Whether a connection of `key` must make room for another key with an older request.
    private func isYielded(by key: WireKey) -> Bool {
        guard connections.count >= limits.total, closing < hungry.count else { return false }
        guard let first = hungry.first, first != key, let theirs = branches[first]?.oldest,
            let ours = branches[key]?.oldest
        else { return false }
        return theirs < ours
    }

    /// Whether a connection of `key` must make room for a fresh one, which the oldest request of `key` needs.
    private func isInTheWay(of key: WireKey) -> Bool {
        guard let branch = branches[key], let fresh = branch.waitingForFresh.first,
            let other = branch.waiting.first, fresh < other
        else { return false }
        let isFull = branch.count >= limits.perKey || connections.count >= limits.total
        return isFull && branch.lacking > 0
    }

    /// Opens the connections that this key and the others need; closes idle ones to make room.
    private mutating func feed(_ key: WireKey, _ actions: inout [Action]) {
        guard !isShutDown else { return }
        if let branch = branches[key] {
            if isHungry(branch) { hungry.append(key) } else { hungry.remove(key) }
            // A request that needs a fresh connection cannot use idle ones.
            if branch.lacking > 0, branch.count >= limits.perKey, let connection = branch.idle.first {
                close(connection, &actions)
            }
            if branch.count == 0, branch.demand == 0 { branches[key] = nil }
        }
        while connections.count < limits.total, let next = hungry.popFirst() {
            open(next, &actions)
            // At the end of the line.
            if let branch = branches[next], isHungry(branch) { hungry.append(next) }
        }
        while closing < hungry.count, let connection = idle.first { close(connection, &actions) }
    }

    private mutating func open(_ key: WireKey, _ actions: inout [Action]) {
        latest += 1
        let connection = Connection(number: latest)
        connections[connection] = Entry(key: key, state: .opening)
        branches[key]?.opening.append(connection)
        branches[key]?.count += 1
        actions.append(.open(connection, key))
    }
}
