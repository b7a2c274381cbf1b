/// How many connections each source serves, and what is remembered of its server.
///
/// A refusal by one source says nothing of the others. It does not change how many connections the download may have
/// in all: only the user sets that number, and the plan holds it.
extension DownloadMachine {
    /// Number of open connections to a source whose end still matters.
    func openCount(of source: SourceID) -> Int {
        connections.values.count { $0.source == source && !$0.isDismissed }
    }

    /// How many more connections a source may be asked for.
    func spare(of source: SourceID) -> Int {
        max(0, limit(of: source) - openCount(of: source))
    }

    private func limit(of source: SourceID) -> Int {
        let own = sources.limits[source].flatMap { $0.holds(at: now) ? $0.count : nil }
        let known = sources.servers[server(of: source)]?.connectionLimit
            .flatMap { $0.holds(at: now) ? $0.count : nil }
        return min(own ?? .max, known ?? .max)
    }

    /// How many connections all sources are known to serve together. Open connections count as served, whatever was
    /// remembered of their server.
    var served: Int {
        sourcesBeside.reduce(liveCount) { $0 + min(spare(of: $1), plan.most) }
    }

    // MARK: Remembered traits

    /// The server of a source, as far as it is known before a request.
    func server(of source: SourceID) -> Origin {
        version(of: source).server ?? (sourceList[source] ?? specification.url).origin
    }

    /// Looks up how many connections the server of a source serves, before a second one is asked for. Returns `nil`
    /// when no look-up is needed.
    mutating func lookUp(_ source: SourceID) -> Action? {
        let server = server(of: source)
        guard openCount(of: source) > 0, sources.lookups[server] == nil else { return nil }
        sources.lookups[server] = .underway
        return .recall(server)
    }

    mutating func recalled(_ known: ServerTraits, of server: Origin) -> [Action] {
        learn(known, of: server)
        if server == self.server(of: checkpoint.mirroring.lead), known.lacksIfRange {
            traits.lacksIfRange = true
        }
        plan.serve(served)
        return stage == .transferring && ending == nil ? fill() : []
    }

    /// Takes over what was remembered of a server. What this attempt has found out is newer and wins.
    mutating func learn(_ known: ServerTraits, of server: Origin) {
        sources.lookups[server] = .done
        let found = sources.servers[server]
        sources.servers[server] = ServerTraits(
            lacksIfRange: known.lacksIfRange || found?.lacksIfRange == true,
            connectionLimit: found?.connectionLimit ?? known.connectionLimit
        )
    }

    /// Remembers a change together with all else that is known of the server.
    mutating func remember(of server: Origin, _ change: (inout ServerTraits) -> Void) -> Action {
        change(&sources.servers[server, default: ServerTraits()])
        return .remember(sources.servers[server, default: ServerTraits()], of: server)
    }

    // MARK: Refusals

    /// Notes that a source serves no more connections than now. This is remembered of its server if that server
    /// answered.
    mutating func refuseParallel(_ source: SourceID, by facts: ResponseFacts? = nil) -> [Action] {
        let count = openCount(of: source)
        let end = now.advanced(by: ServerTraits.ConnectionLimit.lifetime)
        sources.limits[source] = SourceBoard.Limit(count: count, until: end)
        plan.refused(serving: served)
        let known = version(of: source).server
        guard count > 0, let server = known, facts?.server ?? server == server else { return watchSpeed() }
        // The server counts its connections across all of its URLs.
        let all = sourceList.ids.filter { self.server(of: $0) == server }.reduce(0) { $0 + openCount(of: $1) }
        let limit = ServerTraits.ConnectionLimit(all, found: now)
        return [remember(of: server) { $0.connectionLimit = limit }] + watchSpeed()
    }

    /// Asks a source for no more connections than now, for a while.
    mutating func holdBack(_ source: SourceID, for duration: Duration) -> [Action] {
        let end = now.advanced(by: duration)
        sources.limits[source] = SourceBoard.Limit(count: openCount(of: source), until: end)
        // Others may have connections to spare.
        if served <= liveCount { plan.hold(at: liveCount, until: end) }
        return watchSpeed()
    }
}
