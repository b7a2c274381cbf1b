import FerryCore

/// The hosts to which there is no way at the moment, behind which transfers stay in line.
///
/// That there is no way is a property of the host and not of each transfer that asks it. So those that found it out wait
/// for the network, a few for each host; the others stay queued, and nothing is claimed, tried or written for them until
/// there is a way. It is what one engine knows: another process finds it out by itself.
struct HeldHosts: Sendable {
    private struct Hold {
        /// Whom those transfers ask first: the host itself, or one of several proxies.
        var missed: Set<String>
        var since: Instant
    }

    /// How many proxies of one host are remembered (I9).
    private static let mostMissed = 8
    /// After so long a few others are tried where this machine is online: one may have a mirror or a proxy that there is
    /// a way to, of which its host tells nothing.
    static let longestWhileOnline: Duration = .seconds(60)

    private var holds: [String: Hold] = [:]

    /// Whether there is none.
    var isEmpty: Bool { holds.isEmpty }

    /// The hosts that nothing is claimed for.
    var names: Set<String> { Set(holds.keys) }

    /// Whom to ask for a way.
    var missed: Set<String> { holds.values.reduce(into: []) { $0.formUnion($1.missed) } }

    /// Holds back what asks `host`, as it would ask `missed` first, to which there is no way.
    mutating func hold(_ host: String, missing missed: String, at now: Instant) {
        if var hold = holds.removeValue(forKey: host) {
            if hold.missed.count < Self.mostMissed { hold.missed.insert(missed) }
            holds[host] = hold
        } else if holds.count < NetworkWatch.hostLimit {
            holds[host] = Hold(missed: [missed], since: now)
        }
    }

    /// There is a way to `missed`: what waits behind it may go; returns whether anything did.
    mutating func release(behind missed: String) -> Bool {
        let count = holds.count
        holds = holds.filter { !$0.value.missed.contains(missed) }
        return holds.count < count
    }

    /// Lets those go that have been held for long; returns whether there were any.
    mutating func releaseOld(at now: Instant) -> Bool {
        let count = holds.count
        // A clock that went back makes nobody wait longer.
        holds = holds.filter {
            $0.value.since <= now && $0.value.since.duration(to: now) < Self.longestWhileOnline
        }
        return holds.count < count
    }
}
