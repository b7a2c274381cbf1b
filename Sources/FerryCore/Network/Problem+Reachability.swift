extension Problem {
    /// Whether a lost network may have caused it, so that the route should be checked.
    package var mayBeOfTheNetwork: Bool {
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

    /// Returns the problem once the reachability of `host` is known.
    ///
    /// | | no route | routes, or unknown |
    /// |---|---|---|
    /// | of the network | waits for the network | is tried again, and counts |
    /// | anything else | stays what it is | stays what it is |
    ///
    /// It waits for the route only if the monitor can report that the route is back. Otherwise it could wait for
    /// ever.
    package func judged(by reachability: Reachability, of host: String) -> Problem {
        guard mayBeOfTheNetwork else { return self }
        switch reachability {
        case .noRoute:
            return .noRoute(to: host)
        case .routes, .unknown:
            guard case .condition = disposition else { return self }
            return Problem(failure, .transient(retryAfter: nil))
        }
    }

    /// No route leads to a host.
    package static func noRoute(to host: String) -> Problem {
        .condition(
            .network,
            .networkUnreachable,
            "There is no route to \(host).",
            remedies: [.checkNetwork, .retry]
        )
    }

    /// A connection was cut because its route has changed. It is opened again at once, without counting.
    package static func routeLost(to host: String) -> Problem {
        cut(.networkUnreachable, "The route to \(host) has changed.")
    }

    /// A connection was cut because the process or the machine was suspended, so that its state is unknown. It is
    /// opened again at once, without counting. This says nothing about the network, which may be unchanged.
    package static func leftAlone(to host: String) -> Problem {
        cut(.connectionLost, "The connection to \(host) was idle for too long.")
    }

    private static func cut(_ code: TransferFailure.Code, _ message: String) -> Problem {
        var problem = Problem.condition(.network, code, message)
        problem.isCut = true
        return problem
    }
}
