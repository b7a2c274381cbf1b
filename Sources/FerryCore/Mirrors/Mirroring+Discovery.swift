extension Mirroring {
    /// What an answer of the download's own URL told, by which others may give the same file: its digest, and the
    /// mirrors that it vouches for (RFC 6249 §6). They are used together or not at all.
    public struct Discovery: Hashable, Sendable, Codable {
        /// The digest that the whole file must have, whoever gives it.
        public var digest: Checksum
        /// The length of the file in bytes, where it was told.
        public var length: Int64?
        /// The mirrors, the best first; none where only those that were given are used.
        public var mirrors: [HTTPURL]

        /// Creates a discovery.
        public init(digest: Checksum, length: Int64?, mirrors: [HTTPURL]) {
            self.digest = digest
            self.length = length
            self.mirrors = mirrors
        }
    }

    /// The mirrors that a server named, behind those that were given.
    public var discovered: [HTTPURL] { discovery?.mirrors ?? [] }

    /// The digest by which the download's own URL vouches for what others give in its place: what a mirror of its
    /// naming has given, and what comes after its own bytes were found to have another one.
    var vouched: Checksum? {
        // Whoever is not known any more may have been one of them.
        let isOnDiscovery =
            isDiscovered(lead) || provenance.spans.contains { $0.source.map(isDiscovered) ?? true }
        guard isOnDiscovery || excluded[.own] == .wrongBytes else { return nil }
        return discovery?.digest
    }

    /// Whether a server named that source; one that was given as well is of its naming all the same.
    func isDiscovered(_ source: SourceID) -> Bool {
        switch source {
        case .own: false
        case .mirror: discovered.contains { .mirror($0) == source }
        case .former(let number): number >= SourceID.firstDiscovered
        }
    }

    /// Forgets the former discovery for another one, or for none, and what is known of its mirrors that are not named
    /// again; nothing may hang on their bytes any more.
    mutating func discover(_ next: Discovery?) {
        let former = excluded.keys.filter { isDiscovered($0) }
        discovery = next
        for source in former where !isDiscovered(source) { excluded[source] = nil }
    }

    /// Whether bytes came from a mirror that is neither among `given` nor vouched for by a server, or from one that is not
    /// known any more.
    func usesMirrors(besides given: [HTTPURL]) -> Bool {
        let sources = provenance.spans.map(\.source) + [lead]
        return sources.contains { source in
            guard let source else { return true }
            guard case .mirror(let resource) = source else { return source != .own }
            return !given.contains { $0.resource == resource } && !isDiscovered(source)
        }
    }
}
