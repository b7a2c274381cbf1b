extension Problem {
    /// Whether it may have come from a network that is gone, so that it is worth asking for the route.
    public var mayBeOfTheNetwork: Bool {
        switch disposition {
        case .permanent: return false
        case .condition(let condition): return condition == .network
        case .transient: break
        }
        switch failure.code {
        case .networkUnreachable, .nameNotResolved, .connectionLost, .connectionRefused, .timeout, .tooSlow,
            .proxyFailed:
            return true
        default:
            return false
        }
    }

    /// What it means now that it is known how this machine would reach `host`.
    ///
    /// | | no route | routes, or unknown |
    /// |---|---|---|
    /// | of the network | waits for the network | is tried again, and counts |
    /// | anything else | stays what it is | stays what it is |
    ///
    /// Only where somebody can tell that the route is back is it waited for; otherwise a transfer would wait for ever.
    public func judged(by reachability: Reachability, of host: String) -> Problem {
        guard mayBeOfTheNetwork else { return self }
        switch reachability {
        case .noRoute:
            return .condition(.network, .networkUnreachable, "There is no route to \(host).")
        case .routes, .unknown:
            guard case .condition = disposition else { return self }
            return Problem(failure, .transient(retryAfter: nil))
        }
    }

    /// A connection was cut because it no longer goes the way it did: it is made again at once, without counting.
    public static func routeLost(to host: String) -> Problem {
        .condition(.network, .networkUnreachable, "The route to \(host) has changed.")
    }

    /// A connection was cut because the process or the machine stood still, so that nobody knows what became of it: it is
    /// made again at once, without counting. Nothing is said of the network, which may be as it was.
    public static func leftAlone(to host: String) -> Problem {
        .condition(.network, .connectionLost, "The connection to \(host) was idle for too long.")
    }
}
