import FerryCore
import Synchronization

/// Knows over which routes the connections of an engine go, cuts those whose routes are no more, and says of a failure
/// whether it was the network's.
///
/// A connection that goes nowhere looks like one whose server is slow: only a time-out would end it. So the route of
/// each is noted when it is made, and held against what the kernel says whenever something changes. One whose route is
/// still the same stays.
final class NetworkWatch: Sendable {
    private struct Crossing {
        var passage: Passage
        var host: String
        /// Over which routes it goes; `nil` until that is known.
        var reachability: Reachability?
    }

    private struct State {
        var changes = 0
        var crossings: [Int: Crossing] = [:]
        var latest = 0
        /// What is known of hosts since the last change, so that a thousand small files ask once.
        var known: [String: Reachability] = [:]
        /// To which host a transfer that waits for the network found no route.
        var missed: [TransferID: String] = [:]
    }

    /// The most hosts that are remembered at once (I9).
    static let hostLimit = 1000

    private let monitor: any NetworkMonitor
    private let state = Mutex(State())

    init(_ monitor: any NetworkMonitor) {
        self.monitor = monitor
    }

    // MARK: Connections

    /// A connection that is about to begin.
    func begin() -> Passage {
        let number = state.withLock { state in
            state.latest += 1
            return state.latest
        }
        return Passage(number: number)
    }

    /// Watches a connection; returns when it is to be made anew, or the task is cancelled.
    ///
    /// - Returns: why, or `nil`.
    func follow(_ passage: Passage) async -> Problem? {
        let number = passage.number
        defer { state.withLock { _ = $0.crossings.removeValue(forKey: number) } }
        for await event in passage.events {
            switch event {
            case .cut: return host(of: number).map(Problem.routeLost(to:))
            case .abandoned: return host(of: number).map(Problem.leftAlone(to:))
            case .heading(let host):
                let changes = state.withLock { state in
                    state.crossings[number] = Crossing(passage: passage, host: host)
                    return state.changes
                }
                let reachability = await reachability(of: host)
                let hasChanged = state.withLock { state in
                    state.crossings[number]?.reachability = reachability
                    return state.changes != changes
                }
                // Which way it went while the network changed, nobody knows.
                if hasChanged, reachability != .unknown {
                    return Task.isCancelled ? nil : .routeLost(to: host)
                }
            }
        }
        return nil
    }

    /// The host that a connection is on its way to.
    private func host(of number: Int) -> String? { state.withLock { $0.crossings[number]?.host } }

    /// Something has changed: connections that no longer go the way they did are cut, and those for which there was no
    /// way when they began and is one now.
    func react(to change: NetworkChange) async {
        let crossings = state.withLock { state in
            state.changes += 1
            state.known = [:]
            return state.crossings.values.sorted { $0.passage.number < $1.passage.number }
        }
        if change == .woke { return cutAll() }
        var standing: [Reachability: Bool] = [:]
        for crossing in crossings {
            switch crossing.reachability {
            case .routes(let routes)?:
                let key = Reachability.routes(routes)
                if standing[key] == nil { standing[key] = await monitor.stand(routes) }
                if standing[key] == false { crossing.passage.cut() }
            case .noRoute?:
                // It waits for an answer that nobody was asked for.
                if case .routes = await reachability(of: crossing.host) { crossing.passage.cut() }
            case .unknown?, nil:
                // One whose routes are not known yet looks for itself.
                break
            }
        }
    }

    /// Cuts every connection, so that it is made anew.
    func cutAll() {
        let crossings = state.withLock { state in
            state.crossings.values.sorted { $0.passage.number < $1.passage.number }
        }
        for crossing in crossings { crossing.passage.abandon() }
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

    /// What a failure on the way to a host means, now that the way is looked at.
    func judged(_ problem: Problem, of host: String, for transfer: TransferID) async -> Problem {
        guard problem.mayBeOfTheNetwork else { return problem }
        var judged = problem.judged(by: await monitor.reachability(of: host), of: host)
        // A resolver that cannot ask anybody may say the same; who knows of no network cannot tell the two apart.
        if judged.isUnknownHost, await monitor.isOnline() != true { judged.isUnknownHost = false }
        if judged.disposition == .condition(.network) {
            state.withLock { state in
                if state.missed.count >= Self.hostLimit { state.missed = [:] }
                state.missed[transfer] = host
            }
        }
        return judged
    }

    /// To which host a transfer that waits for the network has no route, which a redirect may have named; only a process
    /// that has not met it takes the transfer's own for it.
    func host(missedBy transfer: Transfer) -> String {
        state.withLock { $0.missed[transfer.id] } ?? transfer.work.firstHost
    }

    /// Whom a transfer asks first: its host, or the proxy in between.
    func firstHost(of transfer: Transfer) -> String { transfer.work.firstHost }

    /// Whether there may be a way beyond this machine.
    func isOnline() async -> Bool { await monitor.isOnline() != false }

    /// Whether those who wait for a route to a host need not wait any more.
    func hasWay(to host: String) async -> Bool {
        await monitor.reachability(of: host) != .noRoute
    }

    /// These transfers do not wait any more.
    func forget(_ ids: [TransferID]) {
        state.withLock { state in
            for id in ids { state.missed[id] = nil }
        }
    }
}

extension Work {
    /// The host that a connection for it is made to first: the proxy, where there is one.
    fileprivate var firstHost: String { exchange.connection(to: url).peer(for: url) }
}

extension ConnectionOptions {
    /// Whom a connection to `url` is made to: the proxy, where there is one.
    func peer(for url: HTTPURL) -> String { proxy?.host ?? url.host }
}
