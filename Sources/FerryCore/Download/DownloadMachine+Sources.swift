/// Several URLs for one file: which source to ask, and what to do with an answer from a source that is not the lead.
///
/// The lead is the source that gave what is recorded of the resource. Only the lead may say that the file has
/// changed. An answer of another source is used if it fits; otherwise that source is not used.
extension DownloadMachine {
    /// Largest number of mirrors that are used of those a server names.
    static let mostDiscovered = 8

    /// Every source that can be asked.
    var sourceList: SourceList { SourceList(specification, checkpoint.mirroring) }

    /// Whether any source besides the URL itself can be asked.
    var hasMirrors: Bool { sourceList.ids.count > 1 }

    private var lead: SourceID { checkpoint.mirroring.lead }

    /// Whether a digest finally tells whether bytes of several sources belong together.
    var isVerifiedLater: Bool {
        !isStream
            && (expected?.algorithm.provesOrigin == true || options.pieces?.algorithm.provesOrigin == true)
    }

    /// Whether an answer to this connection can only add to what the lead has said.
    func isMirror(_ connection: Connection) -> Bool {
        guard connection.source != lead else { return false }
        return checkpoint.segments.received > 0 || liveCount > 1
    }

    // MARK: Choosing a source

    /// The source to ask when no source brings bytes: the lead, or the first one that can take its place.
    func nextSource() -> SourceID? {
        ([lead] + sourceList.ids).first { isUsable($0) && canFollow($0) }
    }

    /// Starts over from another source. Returns `nil` if the lead is still of use, or no other source is left.
    ///
    /// The lead is of no use when it is gone for good, is no longer a source, or broke off an answer that cannot be
    /// resumed. Called when no source can resume what the lead gave.
    mutating func replaceLead() -> [Action]? {
        let isGone = sources.unavailable[lead]?.saysThatItIsGone == true || !sourceList.contains(lead)
        guard !isStream, isPartOpen, isGone || checkpoint.startsOver,
            let next = sourceList.ids.first(where: { isUsable($0) })
        else { return nil }
        let dropped = ByteCount(checkpoint.segments.received).formatted
        let reason =
            isGone
            ? "\(host(of: lead)) is gone"
            : "\(host(of: lead)) interrupted a compressed answer, which cannot be resumed"
        let news = note("Starting over from \(host(of: next)): \(reason); \(dropped) dropped.")
        forgetBytes()
        return [news] + rewindForAnother()
    }

    /// The source to ask beside others: one that was not tried, or else the one with the fastest connections. Each
    /// connection added to a source shares its speed, so faster sources end up with more connections.
    func sourceBeside() -> SourceID? {
        let able = sourcesBeside.filter { spare(of: $0) > 0 }
        if let untried = able.first(where: { openCount(of: $0) == 0 && sources.speeds[$0] == nil }) {
            return untried
        }
        return able.max { left, right in
            let speeds = (sources.speeds[left] ?? 0, sources.speeds[right] ?? 0)
            // Of two equally fast sources, the one with fewer connections.
            return speeds.0 == speeds.1 ? openCount(of: left) > openCount(of: right) : speeds.0 < speeds.1
        }
    }

    /// The sources that may be asked side by side.
    var sourcesBeside: [SourceID] {
        let mayMix = hasMirrors && isVerifiedLater && !checkpoint.mirroring.isAlone
        return (mayMix ? sourceList.ids : [lead]).filter { isUsable($0) }
    }

    /// Whether another source can resume from the bytes on disk.
    func canBeReplaced(_ source: SourceID) -> Bool {
        sourceList.ids.contains { $0 != source && isUsable($0) && canFollow($0) }
    }

    private func isUsable(_ source: SourceID) -> Bool {
        sourceList.contains(source) && checkpoint.mirroring.excluded[source] == nil
            && sources.unavailable[source] == nil
    }

    /// Whether a source can resume from the bytes on disk: it gave them, or a digest or a comparison proves that they
    /// match.
    private func canFollow(_ source: SourceID) -> Bool {
        guard source != lead, checkpoint.segments.received > 0 else { return true }
        guard !checkpoint.mirroring.isAlone else { return false }
        // Bytes of another source must have the length that the lead gave.
        guard !isStream, checkpoint.segments.length != nil else { return false }
        return isVerifiedLater || !specification.resumesStrictly
    }

    mutating func noteSourceSpeeds() {
        for source in Set(receiving.map(\.connection.source)) {
            let speeds = receiving.filter { $0.connection.source == source }
                .compactMap(\.connection.speed.bytesPerSecond)
            guard !speeds.isEmpty else { continue }
            sources.speeds[source] = speeds.reduce(0, +) / Double(speeds.count)
        }
    }

    // MARK: Requests

    /// The request that continues a segment, addressed to a source.
    func resuming(_ segment: Segment, from source: SourceID) -> RangeRequest {
        var request = RangeRequest.resuming(
            segment,
            of: known(of: source),
            server: source == lead ? traits : ServerTraits(),
            strict: specification.resumesStrictly && (source == lead || !isVerifiedLater)
        )
        if source == lead, doesWithoutParts { request = .whole }
        request.mirror = source == .own ? nil : sourceList[source]
        return request
    }

    /// The checkpoint against which an answer of a source is read: the same resource with the validators of that
    /// source.
    private func known(of source: SourceID) -> Checkpoint {
        var known = checkpoint
        known.version = version(of: source)
        return known
    }

    /// The version that a source serves, as far as it has answered.
    func version(of source: SourceID) -> Mirroring.Version {
        source == lead ? checkpoint.version : checkpoint.mirroring.versions[source] ?? Mirroring.Version()
    }

    /// The judge of the answers to a connection.
    func judge(of connection: Connection) -> ResponseJudge {
        var judge = ResponseJudge(
            known: known(of: connection.source),
            specification: specification,
            hasChanged: connection.expectsChange
        )
        judge.doesWithoutParts = connection.source == lead && doesWithoutParts
        judge.url = connection.request.mirror ?? specification.url
        judge.isVerifiedLater = isVerifiedLater && isMirror(connection)
        return judge
    }

    /// The mirrors that a server names along with a digest (RFC 6249 §6). Without a digest nothing would tell whether
    /// they serve the same file. Returns `nil` without a digest, or without any other source to check against it.
    func discovery(in facts: ResponseFacts) -> Mirroring.Discovery? {
        guard let digest = facts.digest, !options.ignoresServerDigests, !isStream else { return nil }
        let isSecure = specification.url.scheme == .https && !options.allowsDowngrade
        let known = Set([specification.url] + options.mirrors)
        let named = facts.mirrors.filter { !known.contains($0) && (!isSecure || $0.scheme == .https) }
        // A checksum against damage proves nothing of the origin of the bytes.
        let isAsked = digest.algorithm.provesOrigin && !options.ignoresServerMirrors
        let mirrors = isAsked ? Array(named.prefix(Self.mostDiscovered)) : []
        guard !mirrors.isEmpty || !options.mirrors.isEmpty else { return nil }
        return Mirroring.Discovery(digest: digest, length: facts.resourceLength, mirrors: mirrors)
    }

    // MARK: Answers

    /// Excludes a discovered mirror whose file differs from the one that the server vouched for. Returns `nil` when
    /// it may be that file.
    mutating func refuseOtherThanVouchedFor(
        _ id: ConnectionID,
        _ connection: Connection,
        _ facts: ResponseFacts
    ) -> [Action]? {
        let mirroring = checkpoint.mirroring
        guard mirroring.isDiscovered(connection.source), let discovery = mirroring.discovery else {
            return nil
        }
        if let length = facts.resourceLength, length != discovery.length ?? length {
            return pass(over: id, connection, excluding: .length)
        }
        if let digest = facts.digest, digest.algorithm == discovery.digest.algorithm,
            digest != discovery.digest
        {
            return pass(over: id, connection, excluding: .digest)
        }
        return nil
    }

    /// Refuses an answer about a file of another length than was asked for. Returns `nil` when the length may be
    /// right.
    mutating func refuseOtherFile(
        _ id: ConnectionID,
        _ connection: Connection,
        _ facts: ResponseFacts
    ) -> [Action]? {
        guard let expected = options.length, let length = facts.resourceLength, length != expected else {
            return nil
        }
        let problem = Problem.permanent(
            .checksumMismatch,
            "\(host(of: connection.source)) has a file of \(length) bytes, not the requested \(expected).",
            hint: "Its bytes were not used. Check the URL, and the source of the length."
        )
        guard hasMirrors else { return dismiss(id) + fail(problem) }
        sources.unavailable[connection.source] = problem
        return pass(over: id, connection, excluding: .length)
    }

    /// Uses the answer of a source that is not the lead, if it is the right part of the lead's file.
    mutating func mirrorAnswered(
        _ id: ConnectionID,
        _ connection: Connection,
        _ facts: ResponseFacts,
        _ verdict: ResponseVerdict
    ) -> [Action] {
        if let digest = facts.digest, let expected, digest.algorithm == expected.algorithm,
            digest != expected,
            !options.ignoresServerDigests
        {
            return pass(over: id, connection, excluding: .digest)
        }
        switch verdict {
        case .proceed:
            return take(id, connection, facts, comparing: 0)
        case .compare(let overlap):
            return take(id, connection, facts, comparing: overlap)
        case .refuse(let problem):
            return refuse(id, connection, problem)
        case .begin, .startOver, .askAgain, .complete:
            let length = facts.resourceLength
            let isOtherLength =
                speaksOfTheFile(facts) && length != nil && length != checkpoint.segments.length
            if isOtherLength { return pass(over: id, connection, excluding: .length) }
            if let version = checkpoint.mirroring.versions[connection.source],
                version.validator.contradicts(facts.validator)
            {
                return pass(over: id, connection, excluding: .changed)
            }
            return notSent(id, connection, facts)
        }
    }

    private mutating func notSent(
        _ id: ConnectionID,
        _ connection: Connection,
        _ facts: ResponseFacts
    ) -> [Action] {
        if connection.isBeside, openCount(of: connection.source) > 1 {
            // It sends parts to the other connections; this is one more than it serves.
            return dismiss(id) + refuseParallel(connection.source, by: facts)
        }
        let problem = Problem.transient(
            .badResponse,
            "\(host(of: connection.source)) does not send the requested part."
        )
        return refuse(id, connection, problem)
    }

    private mutating func take(
        _ id: ConnectionID,
        _ connection: Connection,
        _ facts: ResponseFacts,
        comparing overlap: Int64
    ) -> [Action] {
        // A total that is not given could differ.
        guard let length = facts.resourceLength else { return notSent(id, connection, facts) }
        guard length == checkpoint.segments.length else {
            return pass(over: id, connection, excluding: .length)
        }
        let version = Mirroring.Version(facts)
        guard overlap > 0 else {
            checkpoint.assurance = max(checkpoint.assurance, isVerifiedLater ? .proved : .overlapChecked)
            adopt(version, of: connection.source)
            return takePart(of: id, facts)
        }
        let compared = ByteCount(overlap).formatted
        let text = "Resuming from \(host(of: connection.source)): the last \(compared) are the same there."
        connections[id]?.unproved = Unproved(version: version, announcement: text, assurance: .overlapChecked)
        return receive(id, comparing: overlap, upTo: facts.partEnd)
    }

    /// Pins the version that a source serves. A validator that only a later answer gave must match in every answer
    /// after it (I5).
    mutating func adopt(_ version: Mirroring.Version, of source: SourceID) {
        let pinned = self.version(of: source).completed(by: version)
        if source == lead {
            checkpoint.version = pinned
        } else {
            checkpoint.mirroring.versions[source] = pinned
        }
    }

    private mutating func pass(
        over id: ConnectionID,
        _ connection: Connection,
        excluding reason: Mirroring.Exclusion
    ) -> [Action] {
        dismiss(id) + exclude(connection.source, reason) + leaveToOthers()
    }

    /// Cuts a connection whose answer shows a problem, and handles that as its failure.
    mutating func refuse(_ id: ConnectionID, _ connection: Connection, _ problem: Problem) -> [Action] {
        dismiss(id) + failed(connection, problem, broughtBytes: false)
    }

    /// Handles a failed connection. Its source is not asked again in this attempt, unless it serves other
    /// connections.
    mutating func failed(
        _ connection: Connection,
        _ problem: Problem,
        broughtBytes: Bool
    ) -> [Action] {
        guard hasMirrors, !problem.isOfTheDisk, !problem.endsByPolicy else {
            return hasLiveConnection ? lost(connection, problem, broughtBytes: broughtBytes) : fail(problem)
        }
        guard openCount(of: connection.source) == 0 else {
            return lost(connection, problem, broughtBytes: broughtBytes)
        }
        let known = sources.unavailable[connection.source]?.failure.code
        if !broughtBytes || !hasLiveConnection { sources.unavailable[connection.source] = problem }
        let actions = leaveToOthers()
        // If no source is left, the attempt itself reports the failure.
        guard problem.disposition == .permanent, problem.failure.code != known, stage == .transferring,
            let url = sourceList[connection.source]?.redacted
        else { return actions }
        let name = connection.source == .own ? url : "mirror \(url)"
        return [note("Skipping \(name): \(problem.failure.message)")] + actions
    }

    /// Leaves a connection's rest to the open connections, or else to the next one.
    private mutating func leaveToOthers() -> [Action] {
        hasLiveConnection ? watchSpeed() : connect()
    }

    /// Excludes a source and notes the reason.
    mutating func exclude(_ source: SourceID, _ reason: Mirroring.Exclusion) -> [Action] {
        guard checkpoint.mirroring.excluded.updateValue(reason, forKey: source) == nil else { return [] }
        // Two sources may be on one host.
        let name = sourceList[source]?.redacted ?? "a former mirror"
        return [note("\(name) is no longer used: \(reason.explanation).")]
    }

    /// The host of a source, for display.
    func host(of source: SourceID) -> String {
        sourceList[source]?.host ?? "a former mirror"
    }

    // MARK: Provenance

    /// Records how far a connection has written, and which source gave the bytes.
    mutating func advance(_ connection: Connection, to offset: Int64) {
        guard let bound = connection.segment else { return }
        let before = checkpoint.segments[bound]?.written
        checkpoint.segments.advance(bound, writtenTo: offset)
        // Bytes behind an overlap are written only if the overlap was equal.
        if let unproved = connection.unproved, offset > connection.beganAt {
            checkpoint.assurance = max(checkpoint.assurance, unproved.assurance)
        }
        guard hasMirrors, let before, let after = checkpoint.segments[bound]?.written else { return }
        checkpoint.mirroring.provenance.note(before..<max(before, after), from: connection.source)
    }
}

extension ResponseFacts {
    /// The length of the whole, as far as the answer tells it.
    fileprivate var resourceLength: Int64? {
        if case .present(.bytes(_, let total)) = contentRange { return total }
        return status == 200 && !isEncoded ? bodyLength : nil
    }
}

extension Problem {
    /// Whether the server will never give the resource, however often it is asked.
    fileprivate var saysThatItIsGone: Bool {
        guard disposition == .permanent else { return false }
        return switch failure.code {
        case .notFound, .gone, .notAuthorised, .forbidden, .refused, .tooManyRedirects, .redirectRefused: true
        default: false
        }
    }

    /// Whether the user's policy ends the transfer for this problem.
    fileprivate var endsByPolicy: Bool { disposition == .permanent && failure.code == .resourceChanged }
}

extension Checkpoint {
    /// The version of the resource that the lead serves.
    var version: Mirroring.Version {
        get { Mirroring.Version(validator: validator, server: server, source: source) }
        set {
            validator = newValue.validator
            server = newValue.server
            source = newValue.source
        }
    }
}

extension Mirroring.Version {
    /// The version that an answer names.
    init(_ facts: ResponseFacts) {
        self.init(validator: facts.validator, server: facts.server, source: facts.url?.resource)
    }
}

extension Mirroring.Exclusion {
    /// The reason, for display: "… is not used any more: …".
    public var explanation: String {
        switch self {
        case .length: "it has a file of another length"
        case .bytes: "it has other bytes at the same place"
        case .digest: "it gives another digest"
        case .wrongBytes: "it sent bytes with a wrong digest"
        case .changed: "its file has changed"
        }
    }
}
