/// What one attempt has found out about the sources of a download, and so which source it asks.
///
/// A refusal by one source says nothing about the others. It does not change how many connections the download may have
/// in all: only the user sets that number, and ``ConnectionPlan`` holds it.
struct SourceBoard: Hashable, Sendable {
    /// What the lead's server was found to do, now or in earlier attempts. The requests to the lead depend on it.
    var traitsOfLead: ServerTraits
    private var findings: [SourceID: Finding] = [:]
    private var servers: [Origin: Server] = [:]

    /// What was found out about one source.
    private struct Finding: Hashable, Sendable {
        /// Why it is not asked again in this attempt.
        var unavailable: Problem?
        /// The maximum number of connections to ask it for, after it refused or broke a further one.
        var limit: Limit?
        /// What it said about the version of its file when that had another date than the lead's.
        var validator: Validator?
        /// Number of connections that broke in a row before their first byte while others brought bytes.
        var refusals = 0
        /// The last known speed of a connection to it, in bytes a second.
        var speed: Double?
        /// Its fastest connection.
        var fastest: Fastest?
        /// Whether a faster source took over the rest of its connection. Then it is asked only if no other source can be.
        var isRelieved = false
    }

    /// The fastest connection to a source.
    private struct Fastest: Hashable, Sendable {
        /// Its name.
        var id: ConnectionID
        /// Its speed, in bytes a second.
        var speed: Double
        /// When that was measured.
        var measured: Instant
    }

    /// What is known of one server, from this attempt and from earlier ones.
    private struct Server: Hashable, Sendable {
        var traits = ServerTraits()
        var lookup = Lookup.none
        /// Whether one connection more than its limit is tried.
        var isProbed = false

        /// The maximum number of connections to it; `nil` if no limit is known.
        func mostConnections(at now: Instant) -> Int? {
            guard let limit = traits.connectionLimit, limit.holds(at: now) else { return nil }
            return limit.count + (isProbed ? 1 : 0)
        }
    }

    /// The maximum number of connections to a source, until a moment.
    private struct Limit: Hashable, Sendable {
        /// The number; 0 if the source is of no use beside others.
        var count: Int
        /// When it ends.
        var until: Instant

        /// Whether the limit still holds. A limit that would last longer than any limit can was set while the clock was
        /// wrong.
        func holds(at now: Instant) -> Bool {
            now < until && now.duration(to: until) <= ServerTraits.ConnectionLimit.lifetime
        }
    }

    /// Whether what is remembered of a server has been looked up.
    private enum Lookup: Hashable, Sendable {
        /// It was not looked up; exits to `underway`, `done`.
        case none
        /// The look-up was ordered; exits to `done`.
        case underway
        /// It is known, or there is nothing to know.
        case done
    }

    /// Creates a board that knows only what the lead's server does.
    init(lead: ServerTraits) { traitsOfLead = lead }

    // MARK: Which source to ask

    /// The source to ask when no source brings bytes: the lead, or the first one that can take its place.
    func next(for download: Download) -> SourceID? {
        let able = ([download.lead] + download.sourceList.ids).filter {
            isUsable($0, in: download) && download.canFollow($0)
        }
        let fitting = able.filter { !isOfOtherDate($0, in: download) }
        let best = fitting.isEmpty ? able : fitting
        return best.first { !isRelieved($0) } ?? best.first
    }

    /// Whether a source was found to have a file of another date than the lead, and no digest will tell whether it is the same.
    func isOfOtherDate(_ source: SourceID, in download: Download) -> Bool {
        source != download.lead && findings[source]?.validator.map(download.isOfOtherDate) == true
    }

    /// Notes what a source said about the version of its file.
    mutating func note(_ validator: Validator, of source: SourceID) {
        findings[source, default: Finding()].validator = validator
    }

    /// The first source that can be asked, whether or not it can resume from the bytes on disk.
    func firstUsable(in download: Download) -> SourceID? {
        download.sourceList.ids.first { isUsable($0, in: download) }
    }

    /// Whether another source can resume from the bytes on disk.
    func canReplace(_ source: SourceID, in download: Download) -> Bool {
        download.sourceList.ids.contains {
            $0 != source && isUsable($0, in: download) && download.canFollow($0)
        }
    }

    /// Whether a source can be asked in this attempt.
    func isUsable(_ source: SourceID, in download: Download) -> Bool {
        download.isListed(source) && download.progress.mirroring.excluded[source] == nil
            && findings[source]?.unavailable == nil
    }

    /// The source to ask beside others: one that was not tried, or else the one with the fastest connections. Each
    /// connection added to a source shares its speed, so faster sources end up with more connections.
    func beside(_ connections: ConnectionSet, for download: Download) -> SourceID? {
        let able = usableBeside(in: download).filter { spare(of: $0, connections, download) > 0 }
        // Towards the end, a known speed is worth more than one that may be small, too.
        if !findings.values.contains(where: \.isRelieved),
            let untried = able.first(where: { connections.count(of: $0) == 0 && speed(of: $0) == nil })
        {
            return untried
        }
        return able.max { left, right in
            let speeds = (speed(of: left) ?? 0, speed(of: right) ?? 0)
            // Of two equally fast sources, the one with fewer connections.
            guard speeds.0 == speeds.1 else { return speeds.0 < speeds.1 }
            return connections.count(of: left) > connections.count(of: right)
        }
    }

    /// The sources that may be asked side by side.
    private func usableBeside(in download: Download) -> [SourceID] {
        let usable = (download.mayMixSources ? download.sourceList.ids : [download.lead]).filter {
            isUsable($0, in: download) && !isOfOtherDate($0, in: download)
        }
        // A source of another date takes over alone.
        if usable.isEmpty, download.mayMixSources { return next(for: download).map { [$0] } ?? [] }
        let others = usable.filter { !isRelieved($0) }
        return others.isEmpty ? usable : others
    }

    /// The request that continues a segment, addressed to a source.
    func request(for segment: Segment, of download: Download, from source: SourceID) -> RangeRequest {
        download.request(for: segment, from: source, by: traits(of: source, in: download))
    }

    /// The request for the bytes of a comparison.
    func request(for comparison: Comparison, of download: Download) -> RangeRequest {
        download.request(for: comparison, by: traits(of: comparison.source, in: download))
    }

    private func traits(of source: SourceID, in download: Download) -> ServerTraits {
        source == download.lead ? traitsOfLead : ServerTraits()
    }

    // MARK: Problems

    /// Why a source is not asked again in this attempt.
    func problem(of source: SourceID) -> Problem? { findings[source]?.unavailable }

    /// A source is not asked again in this attempt.
    mutating func giveUp(_ source: SourceID, _ problem: Problem) {
        findings[source, default: Finding()].unavailable = problem
    }

    /// The problem with which the attempt ends when no source is left: one that may pass, if any can.
    var mildest: Problem? {
        let problems = findings.sorted { $0.key < $1.key }.compactMap(\.value.unavailable)
        return problems.first { $0.disposition != .permanent } ?? problems.first
    }

    // MARK: How many connections

    /// How many more connections a source may be asked for.
    private func spare(of source: SourceID, _ connections: ConnectionSet, _ download: Download) -> Int {
        let own = findings[source]?.limit.flatMap { $0.holds(at: download.now) ? $0.count : nil }
        let known = servers[download.server(of: source)]?.mostConnections(at: download.now)
        return max(0, min(own ?? .max, known ?? .max) - connections.count(of: source))
    }

    /// How many connections all sources are known to serve together, up to `most` more of each. Open connections count
    /// as served, whatever was remembered of their server.
    func served(_ connections: ConnectionSet, most: Int, for download: Download) -> Int {
        usableBeside(in: download).reduce(connections.liveCount) {
            $0 + min(spare(of: $1, connections, download), most)
        }
    }

    /// Asks a source for no more connections than now, until a moment.
    mutating func limit(_ source: SourceID, to count: Int, until end: Instant) {
        findings[source, default: Finding()].limit = Limit(count: count, until: end)
    }

    /// Counts a connection that broke before its first byte while others brought bytes.
    ///
    /// - Returns: whether it was not the first one. A second one shows the source's limit; a single one may have a
    ///   temporary cause.
    mutating func countRefusal(by source: SourceID) -> Bool {
        findings[source, default: Finding()].refusals += 1
        return findings[source, default: Finding()].refusals > 1
    }

    /// A further connection brought bytes, so earlier breaks had temporary causes.
    mutating func forgetRefusals(by source: SourceID) { findings[source]?.refusals = 0 }

    /// Takes over the mean speed of each source's connections.
    mutating func noteSpeeds(of connections: ConnectionSet, at now: Instant) {
        let receiving = connections.receiving
        for source in Set(receiving.map(\.connection.source)) {
            let own = receiving.filter { $0.connection.source == source }
            let speeds = own.compactMap(\.connection.speed.bytesPerSecond)
            guard !speeds.isEmpty else { continue }
            findings[source, default: Finding()].speed = speeds.reduce(0, +) / Double(speeds.count)
            let known = own.compactMap { id, connection in
                connection.speed.steady.soFar.map { Fastest(id: id, speed: $0, measured: now) }
            }
            noteFastest(of: known, to: source)
        }
    }

    // MARK: Relief

    /// Takes over the fastest connection to a source. One that has ended counts for a while, as the next one can be
    /// expected to be as fast.
    private mutating func noteFastest(of known: [Fastest], to source: SourceID) {
        guard let best = known.max(by: { $0.speed < $1.speed }) else { return }
        if let former = findings[source]?.fastest, former.speed > best.speed,
            !known.contains(where: { $0.id == former.id }),
            former.measured.duration(to: best.measured) < ConnectionPlan.longPatience
        {
            return
        }
        findings[source, default: Finding()].fastest = best
    }

    /// The speed at which another connection can be expected to do the rest of this one's work, in bytes a second; `nil`
    /// if none is known.
    func speedOfRelief(
        for connection: OpenConnection,
        beside connections: ConnectionSet,
        in download: Download
    ) -> Double? {
        let able = usableBeside(in: download).filter { source in
            if let junction = connection.comparison?.junction {
                // The source on the other side compares other bytes of the same junction.
                return source != connection.source && [junction.before, junction.after].contains(source)
                    && connections.count(of: source) == 0
            }
            return source == connection.source || spare(of: source, connections, download) > 0
        }
        return able.compactMap { fastestSpeed(of: $0) }.max()
    }

    /// The last known speed of a connection to a source, in bytes a second.
    func speed(of source: SourceID) -> Double? { findings[source]?.speed }

    /// The speed of the fastest connection to a source, in bytes a second.
    func fastestSpeed(of source: SourceID) -> Double? { findings[source]?.fastest?.speed }

    /// Another source takes over the rest of a connection to this one, which has no fast connection.
    mutating func relieve(_ source: SourceID) { findings[source, default: Finding()].isRelieved = true }

    /// Whether a faster source took over from this one.
    func isRelieved(_ source: SourceID) -> Bool { findings[source]?.isRelieved == true }

    // MARK: What is remembered of servers

    /// Whether the look-up of a server is not answered yet.
    var isLookingUp: Bool { servers.values.contains { $0.lookup == .underway } }

    /// Looks up how many connections a server serves, before a second one is asked for. Returns `nil` when it was
    /// looked up before.
    mutating func lookUp(_ server: Origin) -> DownloadAction? {
        guard servers[server, default: Server()].lookup == .none else { return nil }
        servers[server, default: Server()].lookup = .underway
        return .recall(server)
    }

    /// What is known of a server.
    func traits(of server: Origin) -> ServerTraits { servers[server]?.traits ?? ServerTraits() }

    /// Takes over what was remembered of a server. What this attempt has found out is newer and wins.
    ///
    /// - Parameter isProbed: whether one connection more than the remembered limit is tried.
    mutating func learn(_ known: ServerTraits, of server: Origin, isProbed: Bool = false) {
        let found = traits(of: server)
        let traits = ServerTraits(
            lacksIfRange: known.lacksIfRange || found.lacksIfRange,
            connectionLimit: found.connectionLimit ?? known.connectionLimit
        )
        let isProbed = isProbed && found.connectionLimit == nil
        servers[server] = Server(traits: traits, lookup: .done, isProbed: isProbed)
    }

    /// Remembers a change together with all else that is known of the server.
    private mutating func remember(
        of server: Origin,
        _ change: (inout ServerTraits) -> Void
    ) -> DownloadAction {
        change(&servers[server, default: Server()].traits)
        return .remember(traits(of: server), of: server)
    }

    /// Remembers how many connections a server serves. It counts them across all of its URLs.
    mutating func rememberLimit(
        of server: Origin,
        _ connections: ConnectionSet,
        for download: Download
    ) -> DownloadAction {
        let count = download.sourceList.ids.filter { download.server(of: $0) == server }
            .reduce(0) { $0 + connections.count(of: $1) }
        let limit = ServerTraits.ConnectionLimit(count, found: download.now)
        servers[server]?.isProbed = false
        return remember(of: server) { $0.connectionLimit = limit }
    }

    /// Forgets the limit of each server that brings bytes over one connection more.
    mutating func liftLimits(of connections: ConnectionSet, for download: Download) -> [DownloadAction] {
        guard servers.values.contains(where: \.isProbed) else { return [] }
        let bringing = connections.receiving.map(\.connection)
            .filter { $0.hasBrought(upTo: download.segment(of: $0)?.written) }
            .map { download.server(of: $0.source) }
        let outgrown = servers.filter { server, known in
            guard known.isProbed, let limit = known.traits.connectionLimit else { return false }
            return bringing.count { $0 == server } > limit.count
        }
        var actions: [DownloadAction] = []
        for server in outgrown.keys.sorted(by: { $0.description < $1.description }) {
            servers[server]?.isProbed = false
            actions.append(remember(of: server) { $0.connectionLimit = nil })
        }
        return actions
    }

    /// Remembers that the lead's server, which has answered, lacks `If-Range`. After a redirect, what was known may
    /// belong to another server than the one that gave the bytes.
    mutating func noteLackOfIfRange(by server: Origin?, otherThan former: Origin?) -> [DownloadAction] {
        let isSameServer = server == former || former == nil
        guard !traitsOfLead.lacksIfRange || !isSameServer else { return [] }
        return remember(lacksIfRange: true, by: server)
    }

    /// Remembers that the lead's server, which has answered, knows `If-Range` after all.
    mutating func noteIfRange(by server: Origin?) -> [DownloadAction] {
        remember(lacksIfRange: false, by: server)
    }

    private mutating func remember(lacksIfRange: Bool, by server: Origin?) -> [DownloadAction] {
        traitsOfLead.lacksIfRange = lacksIfRange
        return server.map { [remember(of: $0) { $0.lacksIfRange = lacksIfRange }] } ?? []
    }
}
