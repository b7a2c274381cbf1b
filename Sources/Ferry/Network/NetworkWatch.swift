import FerryCore
import Synchronization

/// Knows the routes of an engine's connections, cuts connections whose routes are gone, and judges whether a failure
/// was the network's.
///
/// A connection without a route looks like one to a slow server: only a timeout would end it. So the watch notes the
/// route of each new connection, and compares it with the kernel's whenever something changes. A connection with an
/// unchanged route stays.
final class NetworkWatch: Sendable {
    /// The present connection of an exchange.
    private struct Connection {
        var watched: WatchedExchange
        var host: String
        /// The connection's routes; `nil` until they are known.
        var reachability: Reachability?

        /// Cuts the connection because its route is gone.
        func cut() { watched.cut(.lost(.routeLost(to: host))) }
    }

    private struct State {
        var changes = 0
        var connections: [Int: Connection] = [:]
        var latest = 0
        /// The reachability of hosts since the last change, so that a thousand small files ask once.
        var known: [String: Reachability] = [:]
        /// The host that had no route, for each transfer that waits for the network.
        var missed: [TransferID: String] = [:]
    }

    /// Maximum number of hosts remembered at once (I9).
    static let hostLimit = 1000

    private let monitor: any NetworkMonitor
    private let state = Mutex(State())

    init(_ monitor: any NetworkMonitor) {
        self.monitor = monitor
    }

    // MARK: Connections

    /// Numbers an exchange that is about to begin.
    ///
    /// - Parameter isReplaceable: whether what it carries may be sent again on another connection.
    func begin(isReplaceable: Bool = true) -> WatchedExchange {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        return WatchedExchange(number: number, isReplaceable: isReplaceable, watch: self)
    }

    /// Watches an exchange that is about to connect to this peer.
    ///
    /// - Returns: the look-up of its route, to be run beside it; `nil` if the route is known.
    func note(_ watched: WatchedExchange, headsTo host: String) -> (@Sendable () async -> Void)? {
        let (known, changes) = state.withLock { state in
            let known = state.known[host]
            state.connections[watched.number] = Connection(watched: watched, host: host, reachability: known)
            return (known, state.changes)
        }
        guard known == nil else { return nil }
        return { [self] in
            let reachability = await reachability(of: host)
            guard !Task.isCancelled else { return }
            let hasChanged = state.withLock { state in
                state.connections[watched.number]?.reachability = reachability
                return state.changes != changes
            }
            guard hasChanged, reachability != .unknown else { return }
            // No other route leads to a loopback address, so only its link can be lost.
            if case .routes(let routes) = reachability, routes.allSatisfy(\.destination.isLoopback),
                await monitor.stand(routes)
            {
                return
            }
            // The network changed during the look-up, so the connection's route is uncertain.
            watched.cut(.lost(.routeLost(to: host)))
        }
    }

    /// Notes that an exchange is over.
    func forget(_ watched: WatchedExchange) {
        state.withLock { _ = $0.connections.removeValue(forKey: watched.number) }
    }

    /// Reacts to a change: cuts connections whose routes are gone, and those that began without a route and now have
    /// one.
    func react(to change: NetworkChange) async {
        let connections = state.withLock { state in
            state.changes += 1
            state.known = [:]
            return state.connections.values.sorted { $0.watched.number < $1.watched.number }
        }
        if change == .woke { return cutAll() }
        var standing: [Reachability: Bool] = [:]
        for connection in connections {
            switch connection.reachability {
            case .routes(let routes)?:
                let key = Reachability.routes(routes)
                if standing[key] == nil { standing[key] = await monitor.stand(routes) }
                if standing[key] == false { connection.cut() }
            case .noRoute?:
                // It waits for an answer, but its request never left.
                if case .routes = await reachability(of: connection.host) { connection.cut() }
            case .unknown?, nil:
                // A connection whose routes are unknown checks them itself.
                break
            }
        }
    }

    /// Cuts every connection that can be replaced.
    func cutAll() {
        let connections = state.withLock { state in
            state.connections.values.sorted { $0.watched.number < $1.watched.number }
        }
        for connection in connections where connection.watched.isReplaceable {
            connection.watched.cut(.lost(.leftAlone(to: connection.host)))
        }
    }

    private func reachability(of host: String) async -> Reachability {
        let (known, changes) = state.withLock { ($0.known[host], $0.changes) }
        if let known { return known }
        let reachability = await monitor.reachability(of: host)
        state.withLock { state in
            guard state.changes == changes, !Task.isCancelled else { return }
            if state.known.count >= Self.hostLimit { state.known = [:] }
            state.known[host] = reachability
        }
        return reachability
    }

    // MARK: Failures and waits

    /// Reclassifies a failure by the reachability of the host.
    ///
    /// - Parameter transfer: the transfer that failed, so that the watch knows for which host it waits.
    func judged(_ problem: Problem, of host: String, for transfer: TransferID? = nil) async -> Problem {
        guard problem.mayBeOfTheNetwork else { return problem }
        var judged = problem.judged(by: await monitor.reachability(of: host), of: host)
        // A resolver without a network may also report an unknown host; only a known network excludes that.
        if judged.isUnknownHost, await monitor.isOnline() != true { judged.isUnknownHost = false }
        if let transfer, judged.disposition == .condition(.network) {
            state.withLock { state in
                if state.missed.count >= Self.hostLimit { state.missed = [:] }
                state.missed[transfer] = host
            }
        }
        return judged
    }

    /// The host without a route for which a transfer waits. A redirect may have named it. A process that has not met
    /// the failure assumes the transfer's first peer.
    func host(missedBy transfer: Transfer) -> String {
        state.withLock { $0.missed[transfer.id] } ?? transfer.work.firstHost
    }

    /// The peer that a transfer contacts first: its host or its proxy.
    func firstHost(of transfer: Transfer) -> String { transfer.work.firstHost }

    /// Whether a route beyond this machine may exist.
    func isOnline() async -> Bool { await monitor.isOnline() != false }

    /// Whether transfers that wait for a route to a host may stop waiting.
    func hasWay(to host: String) async -> Bool {
        await monitor.reachability(of: host) != .noRoute
    }

    /// Notes that these transfers no longer wait.
    func forget(_ ids: [TransferID]) {
        state.withLock { state in
            for id in ids { state.missed[id] = nil }
        }
    }
}

extension Work {
    /// The peer of the first connection: the proxy if it has one, otherwise the host.
    fileprivate var firstHost: String { self.exchange.firstHost(for: self.url) }
}

extension ExchangeTerms {
    /// The peer of the first connection for `url`. The server of an object is known here only if it was given.
    func firstHost(for url: HTTPURL) -> String {
        let url = url.scheme.store == nil ? url : store?.endpoint ?? url
        return connection(to: url).peer(for: url)
    }
}

extension ConnectionOptions {
    /// The peer of a connection to `url`: the proxy if there is one, otherwise the host.
    func peer(for url: HTTPURL) -> String { proxy?.host ?? url.host }
}
