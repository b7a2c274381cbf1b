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
        let isOnDiscovery = lead.isDiscovered || provenance.spans.contains { $0.source?.isDiscovered ?? true }
        guard isOnDiscovery || excluded[.own] == .wrongBytes else { return nil }
        return discovery?.digest
    }

    /// Forgets the former discovery for another one, or for none. What is known of a mirror stays with its URL; nothing
    /// may hang on bytes of the former ones any more.
    ///
    /// - Returns: the numbers that those mirrors have now which had another one.
    mutating func discover(_ next: Discovery?) -> [SourceID: SourceID] {
        let former = discovered
        discovery = next
        var numbers: [SourceID: SourceID] = [:]
        for (place, url) in discovered.enumerated() {
            guard let before = former.firstIndex(of: url) else { continue }
            numbers[.discovered(at: before)] = .discovered(at: place)
        }
        excluded = excluded.renumbered(numbers)
        return numbers
    }
}

extension Dictionary where Key == SourceID {
    /// What is known of each source under its new number; of a discovered one without a new number nothing is kept.
    func renumbered(_ numbers: [SourceID: SourceID]) -> Self {
        var result = filter { !$0.key.isDiscovered }
        for (former, number) in numbers { result[number] = self[former] }
        return result
    }
}
