/// The entry of a pool that a download brings. The name of its file is the name of the entry.
package struct CacheTerms: Hashable, Sendable, Codable {
    /// The name of the pool.
    package var pool: String
    /// The application's own key; `nil` if the URL is the key.
    package var key: String?
    /// The application's label for what it is, such as "thumbnail".
    package var kind: String?
    /// Whether it may be evicted.
    package var mode: CacheMode
    /// How long it is fresh.
    package var expiry: CacheExpiry
    /// Whether it is noted when the server has no such resource.
    package var notesAbsence: Bool

    /// Creates terms.
    package init(
        pool: String,
        key: String? = nil,
        kind: String? = nil,
        mode: CacheMode = .cached,
        expiry: CacheExpiry = .inherited,
        notesAbsence: Bool = false
    ) {
        (self.pool, self.key, self.kind) = (pool, key, kind)
        (self.mode, self.expiry, self.notesAbsence) = (mode, expiry, notesAbsence)
    }

    /// What a person is shown for the key, without secrets (I7).
    package func label(of url: HTTPURL) -> String { (key.map { .text($0) } ?? CacheKey.url(url)).label }

    /// The terms when a caller asks for what another has asked for before. What one of them wants to keep is kept.
    package func asked(again asked: CacheTerms) -> CacheTerms {
        var terms = asked
        if mode == .persistent { terms.mode = .persistent }
        terms.notesAbsence = notesAbsence || asked.notesAbsence
        return terms
    }
}
