/// What a download knows of its sources.
package struct Mirroring: Hashable, Sendable {
    /// The source that gave the recorded facts about the resource: its length, its validator, its type.
    package var lead = SourceID.own
    /// The digest and the mirrors from the latest first answer of the download's own URL; `nil` if it gave no digest.
    package var discovery: Discovery?
    /// The version that each of the other sources serves.
    package var versions: [SourceID: Version] = [:]
    /// The sources that are no longer used, and why.
    package var excluded: [SourceID: Exclusion] = [:]
    /// Which source gave which bytes; empty while the lead gave all of them.
    package var provenance = Provenance()
    /// Where the bytes of two sources meet that were found to be equal there.
    package internal(set) var compared: Set<Junction> = []
    /// The other sources that gave bytes while the lead could be asked, and another tool. The lead compares these at the ends of
    /// the file.
    package internal(set) var sharing: Set<SourceID> = []
    /// Whether only one source may give the missing bytes, because the bytes of several did not fit together.
    package var isAlone = false
    /// The wrong digest of the bytes for which a source was excluded.
    package var wrongDigest: Checksum?
    /// Number of times that bytes were dropped because of wrong digests, or because their seal was damaged.
    package var repairs = 0

    /// Creates the state of a single source without any knowledge of it.
    package init() {}

    /// The version of the resource that a source serves. Every later answer of that source must agree (I5).
    package struct Version: Hashable, Sendable, Codable {
        /// The validator.
        package var validator: Validator
        /// The server that answered, after all redirects.
        package var server: Origin?
        /// The URL that answered, after all redirects, without its secrets.
        package var source: String?

        /// Creates a version; without arguments nothing is known of it.
        package init(validator: Validator = Validator(), server: Origin? = nil, source: String? = nil) {
            self.validator = validator
            self.server = server
            self.source = source
        }

        /// Returns the version of a later answer. Parts that only an earlier answer gave are added.
        func completed(by later: Version) -> Version {
            Version(
                validator: validator.completed(by: later.validator),
                server: later.server ?? server,
                source: later.source ?? source
            )
        }
    }

    /// Why a source is no longer used.
    package enum Exclusion: String, Hashable, Sendable, Codable {
        /// Its file has another length.
        case length
        /// Its bytes differ from received ones at the same place.
        case bytes
        /// It gives another digest than the file must have.
        case digest
        /// Its bytes have the wrong digest, for the file or for a piece.
        case wrongBytes = "wrong-bytes"
        /// It has changed since it gave bytes.
        case changed
    }

    /// Forgets all that depends on dropped bytes. Remembers which sources gave wrong bytes. Keeps the discovery, too,
    /// because it is about the resource and not about those bytes.
    mutating func forgetBytes() {
        lead = .own
        versions = [:]
        provenance = Provenance()
        compared = []
        sharing = []
        excluded = excluded.filter { $0.value == .wrongBytes }
    }

    /// The download has another URL now. What is known of the former URL stays with the former URL.
    mutating func replaceOwn(_ former: HTTPURL) {
        excluded[.mirror(former)] = excluded.removeValue(forKey: .own)
        provenance = provenance.renaming(.own, to: .mirror(former))
        if sharing.remove(.own) != nil { sharing.insert(.mirror(former)) }
        forgetComparisons()
    }

    /// The bytes of a range by their sources, in order. Bytes without a record are the lead's.
    package func spans(of range: Range<Int64>) -> [Provenance.Span] {
        var spans: [Provenance.Span] = []
        func add(_ part: Range<Int64>, _ source: SourceID?) {
            if !part.isEmpty { spans.append(Provenance.Span(range: part, source: source)) }
        }
        var offset = range.lowerBound
        for span in provenance.spans where span.range.overlaps(range) {
            let part = span.range.clamped(to: range)
            add(offset..<part.lowerBound, lead)
            add(part, span.source)
            offset = part.upperBound
        }
        add(offset..<range.upperBound, lead)
        return spans
    }

    /// The sources of the bytes of a range; `nil` is among them if a source is unknown.
    func sources(of range: Range<Int64>) -> Set<SourceID?> { Set(spans(of: range).map(\.source)) }

    /// The only source of the bytes of a range; `nil` if there are several, or one is unknown.
    ///
    /// No source is blamed for a range without any record: its bytes may come from another tool.
    func culprit(of range: Range<Int64>) -> SourceID? {
        let givers = sources(of: range)
        guard givers.count == 1, provenance.sources(of: range) == givers else { return nil }
        return givers.first ?? nil
    }

    // MARK: Comparisons

    /// Notes that another tool fetched these bytes. The lead compares them at both ends of each range, and at places within.
    package mutating func noteOtherTool(_ ranges: [Range<Int64>]) {
        for range in ranges { provenance.note(range, from: .otherTool) }
        if ranges.contains(where: { !$0.isEmpty }) { sharing.insert(.otherTool) }
    }

    /// The number of places where bytes of another tool were found to be equal to the server's.
    package var placesOfOtherTool: Int {
        compared.count { $0.before == .otherTool || $0.after == .otherTool }
    }

    /// Notes that the bytes of two sources are equal where they meet.
    package mutating func note(compared junction: Junction) {
        // A forgotten comparison is only made again. Each span has two ends, so all that are needed at once fit.
        if compared.count >= 2 * Provenance.mostSpans { compared = [] }
        compared.insert(junction)
    }

    /// Forgets every comparison, so that all are made again.
    mutating func forgetComparisons() { compared = [] }

    /// Keeps some comparisons, perhaps with other names of their sources. Any other one is made again when it is needed.
    mutating func keepComparisons(_ kept: (Junction) -> Junction?) {
        compared = Set(compared.compactMap(kept))
    }

    /// The bytes of a range were dropped: forgets their source and what they were compared with.
    mutating func forget(_ range: Range<Int64>) {
        provenance.forget(range)
        compared = compared.filter { !(range.lowerBound...range.upperBound).contains($0.offset) }
    }
}
