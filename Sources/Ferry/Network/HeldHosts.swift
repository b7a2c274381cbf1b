import FerryCore

/// The hosts that have no route now. Transfers for them stay queued.
///
/// A missing route is a property of the host, not of each transfer. So the few transfers per host that discovered it
/// wait for the network; the others stay queued, and are not claimed, tried or written until a route exists. Only this
/// engine knows it: another process discovers it by itself.
struct HeldHosts: Sendable {
    private struct Hold {
        /// The peers that these transfers contact first: the host itself, or one of several proxies.
        var missed: Set<String>
        var since: Instant
    }

    /// Maximum number of proxies remembered for one host (I9).
    private static let mostMissed = 8
    /// After this time a few other transfers are tried if this machine is online: one may have a mirror or a proxy
    /// with a route, which its host does not show.
    static let longestWhileOnline: Duration = .seconds(60)

    private var holds: [String: Hold] = [:]

    /// Whether no host is held.
    var isEmpty: Bool { holds.isEmpty }

    /// The hosts for which nothing is claimed.
    var names: Set<String> { Set(holds.keys) }

    /// The peers whose routes to check.
    var missed: Set<String> { holds.values.reduce(into: []) { $0.formUnion($1.missed) } }

    /// Holds back transfers for `host` that would first contact `missed`, which has no route.
    mutating func hold(_ host: String, missing missed: String, at now: Instant) {
        if var hold = holds.removeValue(forKey: host) {
            if hold.missed.count < Self.mostMissed { hold.missed.insert(missed) }
            holds[host] = hold
        } else if holds.count < NetworkWatch.hostLimit {
            holds[host] = Hold(missed: [missed], since: now)
        }
    }

    /// Notes a route to `missed` and releases the hosts held for it; returns whether there were any.
    mutating func release(behind missed: String) -> Bool {
        let count = holds.count
        holds = holds.filter { !$0.value.missed.contains(missed) }
        return holds.count < count
    }

    /// Releases hosts that have been held for a long time; returns whether there were any.
    mutating func releaseOld(at now: Instant) -> Bool {
        let count = holds.count
        // A clock that was set back must not lengthen the wait.
        holds = holds.filter {
            $0.value.since <= now && $0.value.since.duration(to: now) < Self.longestWhileOnline
        }
        return holds.count < count
    }
}
