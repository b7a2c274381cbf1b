extension Mirroring {
    /// What an answer of the download's own URL gives, so that other sources may send the same file: its digest, and
    /// the mirrors that it vouches for (RFC 6249 §6). They are used together or not at all.
    package struct Discovery: Hashable, Sendable, Codable {
        /// The digest that the whole file must have, whichever source gives it.
        package var digest: Checksum
        /// The length of the file in bytes; `nil` if it was not given.
        package var length: Int64?
        /// The mirrors, the best first; empty if only the user's mirrors are used.
        package var mirrors: [HTTPURL]

        /// Creates a discovery.
        package init(digest: Checksum, length: Int64?, mirrors: [HTTPURL]) {
            self.digest = digest
            self.length = length
            self.mirrors = mirrors
        }
    }

    /// The mirrors that a server named; they come after the user's.
    package var discovered: [HTTPURL] { discovery?.mirrors ?? [] }

    /// The digest with which the download's own URL vouches for bytes of other sources. These are the bytes of a
    /// discovered mirror, and those that replace its own bytes after these had a wrong digest. Otherwise `nil`.
    var vouched: Checksum? {
        // A source that is no longer known may have been a discovered mirror.
        let isOnDiscovery =
            isDiscovered(lead) || provenance.spans.contains { $0.source.map(isDiscovered) ?? true }
        guard isOnDiscovery || excluded[.own] == .wrongBytes else { return nil }
        return discovery?.digest
    }

    /// Whether a server named that source, even if the user named it as well.
    func isDiscovered(_ source: SourceID) -> Bool {
        switch source {
        case .own: false
        case .mirror: discovered.contains { .mirror($0) == source }
        case .former(let number): number >= SourceID.firstDiscovered
        case .otherTool: false
        }
    }

    /// Replaces the discovery. Forgets what is known of mirrors that are not named again. No received bytes may depend
    /// on these mirrors.
    mutating func discover(_ next: Discovery?) {
        let former = excluded.keys.filter { isDiscovered($0) }
        discovery = next
        for source in former where !isDiscovered(source) { excluded[source] = nil }
    }

    /// Whether bytes came from a mirror that is neither among `given` nor vouched for by a server, or from one that
    /// is no longer known.
    func usesMirrors(besides given: [HTTPURL]) -> Bool {
        let sources = provenance.spans.map(\.source) + [lead]
        return sources.contains { source in
            guard let source else { return true }
            guard source != .otherTool else { return false }
            guard case .mirror(let resource) = source else { return source != .own }
            return !given.contains { $0.resource == resource } && !isDiscovered(source)
        }
    }
}
