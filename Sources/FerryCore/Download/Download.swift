/// A download as one attempt sees it at a moment: what was asked for, and what is known and done so far.
///
/// If there are several URLs for one file, the lead is the source that gave the recorded facts about the resource. Only
/// the lead may say that the file has changed. An answer of another source is used if it fits; otherwise that source is
/// not used.
struct Download: Hashable, Sendable {
    /// What was asked for.
    let specification: DownloadSpecification
    /// What is known and done so far. This is what gets recorded.
    var progress: DownloadProgress
    /// The time of the event that is being handled.
    var now: Instant
    /// When the signature of the download's own URL expires; `nil` if it does not, or is renewed before.
    var expiry: Instant?

    /// Number of successive unusable answers to requests for a part before the whole is asked for. A single such answer
    /// may be temporary, or come from one server of several behind a name.
    static let mostRefusedParts = 2
    /// The maximum number of mirrors from a server that are used.
    static let mostDiscovered = 8

    var isStream: Bool { specification.isStream }

    var options: DownloadOptions { specification.options }

    /// The number in the name of the part file to create; 0 for `NAME.part`. Afterwards the claim has the name.
    var partNumber = 0

    /// The largest ``partNumber`` that is tried.
    static let mostPartNumber = 99

    /// Where the final file and the part file are; `nil` for a stream and before a name is decided.
    var place: FilePlace? {
        guard var place = specification.place(knowing: progress) else { return nil }
        if progress.part == nil { place.part = place.name.partName(partNumber) }
        return place
    }

    /// The time that the file gets; `nil` for that of the download.
    var keptTime: Instant? {
        guard options.keepsServerTime, !isStream, let time = progress.validator.lastModifiedInstant,
            Self.fileTimes.contains(time)
        else { return nil }
        return time
    }

    /// The times that a file can have: from 1970, as in curl, to the last one that is a number of nanoseconds.
    private static let fileTimes = Instant.epoch..<Instant(seconds: .max / 1_000_000_000)

    /// The digest that the file must have.
    var expected: Checksum? { specification.expectedDigest(knowing: progress) }

    /// Prepares for an attempt: names the file and drops bytes that are of no use.
    ///
    /// - Returns: the bytes of an unfinished decoded answer that were dropped.
    mutating func prepare() -> Int64 {
        if !options.updates { progress.saved = nil }
        if progress.name == nil, case .file(_, let name) = specification.destination {
            progress.name = name
        }
        if isStream, progress.segments.received == 0 { progress.assurance = .single }
        if hasUnvouchedBytes { progress.forgetBytes() }
        guard progress.startsOver else { return 0 }
        let lost = progress.segments.received
        progress.forgetBytes()
        return lost
    }

    /// Whether some bytes can no longer be verified: the lead is a discovered mirror that is no longer listed, or
    /// discovered mirrors gave bytes and no digest will check them.
    private var hasUnvouchedBytes: Bool {
        guard progress.phase == .receiving else { return false }
        let mirroring = progress.mirroring
        if mirroring.isDiscovered(mirroring.lead), !isListed(mirroring.lead) { return true }
        return !isVerifiedLater
            && mirroring.provenance.spans.contains { $0.source.map(mirroring.isDiscovered) == true }
    }

    /// Keeps a note, which is shown to the user.
    mutating func note(_ code: TransferNote.Code, _ message: String) -> DownloadAction {
        note(TransferNote(code, message))
    }

    /// Keeps a note, which is shown to the user. That the download resumes is not worth the note that bytes were wrong.
    mutating func note(_ note: TransferNote) -> DownloadAction {
        if note.code != .resumed || progress.note?.code != .bytesRefetched { progress.note = note }
        return .note(note)
    }

    /// Whether the whole file is asked for although a part would be enough, because the lead sends no usable part.
    var doesWithoutParts: Bool { progress.refusedParts >= Self.mostRefusedParts && mayDoWithoutParts }

    /// Whether the received bytes may be dropped for a body that brings all of them again.
    var mayDoWithoutParts: Bool { !isStream && mayStartOver }

    /// Whether the user's policy allows starting over when the file has changed.
    var mayStartOver: Bool { options.onChange == .automatic || options.onChange == .restart }

    /// The time before the expiry of a URL in which no request is made that can be avoided.
    static let expiryMargin: Duration = .seconds(60)

    /// Whether a further request could come after the expiry of the URL. A body that has begun continues beyond it.
    var isNearExpiry: Bool {
        guard let expiry, !hasMirrors else { return false }
        return now.advanced(by: Self.expiryMargin) >= expiry
    }

    // MARK: Sources

    /// Every source that can be asked.
    var sourceList: SourceList { SourceList(specification, progress.mirroring) }

    /// Whether a source is among those that can be asked. The download's own URL always is.
    func isListed(_ source: SourceID) -> Bool { source == .own || sourceList.contains(source) }

    /// Whether any source except the URL itself can be asked.
    var hasMirrors: Bool { sourceList.ids.count > 1 }

    /// The source that gave the recorded facts about the resource.
    var lead: SourceID { progress.mirroring.lead }

    /// Whether a digest will show in the end whether bytes of several sources belong together.
    var isVerifiedLater: Bool {
        !isStream
            && (expected?.algorithm.provesOrigin == true || options.pieces?.algorithm.provesOrigin == true)
    }

    /// How the sources are used together.
    var sourceUse: SourceUse { .decide(SourceUse.Situation(self)) }

    /// Whether several sources may be asked side by side.
    var mayMixSources: Bool {
        switch sourceUse {
        case .compared, .verified: true
        case .alone, .failover: false
        }
    }

    /// Whether only comparisons can tell that bytes of several sources belong together.
    var needsComparisons: Bool {
        !progress.mirroring.provenance.spans.isEmpty && SourceUse.Situation(self).canCompare
    }

    /// Whether a source can resume from the bytes on disk: it gave them, or a digest or a comparison proves that they
    /// match.
    func canFollow(_ source: SourceID) -> Bool {
        guard source != lead, progress.segments.received > 0 else { return true }
        guard !progress.mirroring.isAlone else { return false }
        // Bytes of another source must have the length that the lead gave.
        guard !isStream, progress.segments.length != nil else { return false }
        return isVerifiedLater || !specification.resumesStrictly
    }

    /// The host of a source and its port, for display: several mirrors may be on one host.
    func host(of source: SourceID) -> String {
        sourceList[source]?.hostAndPort ?? (source == .otherTool ? "another tool" : "a former mirror")
    }

    /// The URL of a source, for display.
    private func address(of source: SourceID) -> String { sourceList[source]?.redacted ?? "a former mirror" }

    /// The server of a source, as far as it is known before a request.
    func server(of source: SourceID) -> Origin {
        version(of: source).server ?? (sourceList[source] ?? specification.url).origin
    }

    /// The version that a source serves, as far as it has answered.
    func version(of source: SourceID) -> Mirroring.Version {
        source == lead ? progress.version : progress.mirroring.versions[source] ?? Mirroring.Version()
    }

    /// The progress with which an answer of a source is compared: the same resource, with the validators of that
    /// source.
    func known(of source: SourceID) -> DownloadProgress {
        var known = progress
        known.version = version(of: source)
        return known
    }

    /// The saved file, as long as no byte of another version was received.
    var revalidated: SavedVersion? {
        progress.part == nil && progress.segments.received == 0 ? progress.saved : nil
    }

    /// The request that continues a segment, addressed to a source whose server has these traits.
    func request(for segment: Segment, from source: SourceID, by traits: ServerTraits) -> RangeRequest {
        var request = RangeRequest.resuming(
            segment,
            of: known(of: source),
            server: traits,
            strict: specification.resumesStrictly && (source == lead || !isVerifiedLater)
        )
        if source == lead, doesWithoutParts { request = .whole }
        return addressed(request, to: source)
    }

    /// The request for the bytes of a comparison.
    func request(for comparison: Comparison, by traits: ServerTraits) -> RangeRequest {
        let source = comparison.source
        let validator = version(of: source).validator
        return addressed(.comparing(comparison.window, pinnedBy: validator, server: traits), to: source)
    }

    private func addressed(_ request: RangeRequest, to source: SourceID) -> RangeRequest {
        var request = request
        request.mirror = source == .own ? nil : sourceList[source]
        request.part = options.range.map { RequestedPart($0, start: progress.partStart) }
        return request
    }

    /// Pins the version that a source serves. A validator that only a later answer gave must match in every answer
    /// after it (I5).
    mutating func adopt(_ version: Mirroring.Version, of source: SourceID) {
        let pinned = self.version(of: source).completed(by: version)
        if source == lead {
            progress.version = pinned
        } else {
            progress.mirroring.versions[source] = pinned
        }
    }

    /// Excludes a source and notes the reason.
    mutating func exclude(_ source: SourceID, _ reason: Mirroring.Exclusion) -> [DownloadAction] {
        guard progress.mirroring.excluded.updateValue(reason, forKey: source) == nil else { return [] }
        guard source != .otherTool else {
            let text = "\(foreignName) has other bytes than the server in some places; none of them counts."
            return [note(.sourceExcluded, text)]
        }
        // Two sources may be on one host.
        let name = address(of: source)
        return [note(.sourceExcluded, "\(name) is no longer used: \(reason.explanation).")]
    }

    /// Takes over the exclusions that still hold after the lead could not send a part, and brings the same version from its
    /// first byte. Otherwise each start would ask these sources again.
    mutating func keepExclusions(of former: DownloadProgress) {
        let (sources, length) = (sourceList, progress.segments.length)
        let isSameLength = length != nil && length == former.segments.length
        for (source, reason) in former.mirroring.excluded where source != lead && sources.contains(source) {
            let holds =
                switch reason {
                case .length: isSameLength
                // Without any validator, the lead's file may have changed.
                case .bytes, .digest: !former.validator.isEmpty
                // The bytes that it gave before its change were dropped.
                case .changed: false
                case .wrongBytes: true
                }
            if holds { progress.mirroring.excluded[source] = reason }
        }
    }

    /// Notes that a source is asked only if the lead fails, because its file has another date.
    mutating func noteOtherDate(_ validator: Validator, of source: SourceID) -> DownloadAction {
        let name = source == .own ? address(of: source) : "Mirror \(address(of: source))"
        let dates = [validator, progress.validator].compactMap(\.lastModifiedInstant?.httpDate)
        let text = dates.count == 2 ? " (\(dates[0]), not \(dates[1]))" : ""
        return note(
            .sourceHeldBack,
            "\(name) has another date\(text), so it is asked only if the first server fails."
        )
    }

    /// The first other source that is not excluded.
    func firstOther(than source: SourceID) -> SourceID? {
        sourceList.ids.first { $0 != source && progress.mirroring.excluded[$0] == nil }
    }

    /// Whether the last byte before those of a connection was fetched by another tool.
    func continuesOtherTool(_ connection: OpenConnection) -> Bool {
        guard case .arriving(let offset, _) = connection.body, offset > 0 else { return false }
        return progress.mirroring.spans(of: offset - 1..<offset).first?.source == .otherTool
    }

    // MARK: Bytes

    /// The segment that a connection fills; `nil` once it is complete and was joined to another one.
    func segment(of connection: OpenConnection) -> Segment? {
        connection.segment.flatMap { progress.segments[$0] }
    }

    /// Records how far a connection has written, and which source gave the bytes.
    mutating func advance(_ connection: OpenConnection, to offset: Int64) {
        guard let bound = connection.segment else { return }
        let before = progress.segments[bound]?.written
        progress.segments.advance(bound, writtenTo: offset)
        // Bytes after an overlap are written only if the overlap was equal.
        if let proved = connection.unproved, connection.hasBrought(upTo: offset) {
            accept(proved, of: connection)
        }
        // Even without any mirror left: bytes that were lost may still be recorded as a mirror's.
        let isRecorded =
            hasMirrors || connection.source != lead || !progress.mirroring.provenance.spans.isEmpty
        guard isRecorded, let before, let after = progress.segments[bound]?.written else { return }
        progress.mirroring.provenance.note(before..<max(before, after), from: connection.source)
        if connection.isBesideLead, after > before { progress.mirroring.sharing.insert(connection.source) }
    }

    /// Confirms the version of a connection once it has passed its overlap.
    mutating func prove(_ connection: inout OpenConnection, at offset: Int64) -> [DownloadAction] {
        guard let proved = connection.takeProof(at: offset) else { return [] }
        accept(proved, of: connection)
        if connection.source == lead { progress.refusedParts = 0 }
        return [note(proved.announcement)]
    }

    /// Takes over what an equal overlap proves.
    private mutating func accept(_ proved: OpenConnection.Unproved, of connection: OpenConnection) {
        progress.assurance = max(progress.assurance, .overlapChecked)
        adopt(proved.version, of: connection.source)
        noteOverlap(of: connection)
    }

    /// Notes that the bytes before those of a connection are the same at its source.
    ///
    /// A shorter overlap is not noted: it reaches back to the beginning of its segment only, and more bytes of the other
    /// source may be in front of that, or still come.
    private mutating func noteOverlap(of connection: OpenConnection) {
        guard case .arriving(let offset, _) = connection.body, offset > 0,
            case .overlap(let length) = connection.request.condition,
            length >= min(offset, RangeRequest.overlapLength)
        else { return }
        let before = progress.mirroring.spans(of: offset - 1..<offset)
        guard let giver = before.first?.source, giver != connection.source else { return }
        progress.mirroring.note(compared: Junction(offset: offset, before: giver, after: connection.source))
    }

    /// Keeps the recorded watermarks that a survey confirms.
    mutating func believe(_ trust: RecoveryTable.Trust, fileLength: Int64) {
        switch trust {
        case .written: break
        case .writtenWithinFile: progress.segments.truncateClaims(to: fileLength)
        case .durable: progress.segments.rewindToDurable()
        case .durableWithinFile:
            progress.segments.rewindToDurable()
            progress.segments.truncateClaims(to: fileLength)
        }
    }
}

extension DownloadProgress {
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
    /// The reason, for display: "… is no longer used: …".
    package var explanation: String {
        switch self {
        case .length: "it has a file of another length"
        case .bytes: "it has other bytes at the same place"
        case .digest: "it gives another digest"
        case .wrongBytes: "it sent bytes with a wrong digest"
        case .changed: "its file has changed"
        }
    }
}
