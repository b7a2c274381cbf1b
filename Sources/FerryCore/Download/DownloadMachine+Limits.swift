/// How many connections each source serves, and what is remembered of its server.
///
/// What one refuses says nothing of the others, and nothing of how many connections the download may have: that is the
/// plan's number, which only the user sets.
extension DownloadMachine {
    /// How many connections to a source are open whose end will mean something.
    func openCount(of source: SourceID) -> Int {
        connections.values.count { $0.source == source && !$0.isDismissed }
    }

    /// How many more a source may be asked for.
    func spare(of source: SourceID) -> Int {
        max(0, limit(of: source) - openCount(of: source))
    }

    private func limit(of source: SourceID) -> Int {
        let own = sources.limits[source].flatMap { $0.holds(at: now) ? $0.count : nil }
        let known = sources.servers[server(of: source)]?.connectionLimit
            .flatMap { $0.holds(at: now) ? $0.count : nil }
        return min(own ?? .max, known ?? .max)
    }

    /// How many connections all sources serve together, as far as is known. What is open is served, whatever a server
    /// was once found to do.
    var served: Int {
        sourcesBeside.reduce(liveCount) { $0 + min(spare(of: $1), plan.most) }
    }

    // MARK: What is remembered

    /// Who serves a source, as far as that is known before it is asked.
    func server(of source: SourceID) -> Origin {
        version(of: source).server ?? (sourceList[source] ?? specification.url).origin
    }

    /// Looks up how many connections the server of a source was found to serve, before it is asked for a second one;
    /// `nil` when nothing is to be looked up.
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

    /// Takes over what was remembered of a server; what this attempt has found out since is newer.
    mutating func learn(_ known: ServerTraits, of server: Origin) {
        sources.lookups[server] = .done
        let found = sources.servers[server]
        sources.servers[server] = ServerTraits(
            lacksIfRange: known.lacksIfRange || found?.lacksIfRange == true,
            connectionLimit: found?.connectionLimit ?? known.connectionLimit
        )
    }

    /// Remembers something of a server, along with all else that is known of it.
    mutating func remember(of server: Origin, _ change: (inout ServerTraits) -> Void) -> Action {
        change(&sources.servers[server, default: ServerTraits()])
        return .remember(sources.servers[server, default: ServerTraits()], of: server)
    }

    // MARK: What is refused

    /// A source does not serve one more connection than it does now. That is remembered of its server if that is the
    /// one that answered.
    mutating func refuseParallel(_ source: SourceID, by facts: ResponseFacts? = nil) -> [Action] {
        let count = openCount(of: source)
        let end = now.advanced(by: ServerTraits.ConnectionLimit.lifetime)
        sources.limits[source] = SourceBoard.Limit(count: count, until: end)
        plan.refused(serving: served)
        let known = version(of: source).server
        guard count > 0, let server = known, facts?.server ?? server == server else { return watchSpeed() }
        // It is the server that counts them, whichever of its URLs they ask for.
        let all = sourceList.ids.filter { self.server(of: $0) == server }.reduce(0) { $0 + openCount(of: $1) }
        let limit = ServerTraits.ConnectionLimit(all, found: now)
        return [remember(of: server) { $0.connectionLimit = limit }] + watchSpeed()
    }

    /// Asks a source for no more connections than there are, for a while.
    mutating func holdBack(_ source: SourceID, for duration: Duration) -> [Action] {
        let end = now.advanced(by: duration)
        sources.limits[source] = SourceBoard.Limit(count: openCount(of: source), until: end)
        // Others may have some to spare.
        if served <= liveCount { plan.hold(at: liveCount, until: end) }
        return watchSpeed()
    }
}
