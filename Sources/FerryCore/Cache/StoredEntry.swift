/// An entry of a pool, as a store keeps it.
package struct StoredEntry: Hashable, Sendable {
    /// Its number in the store; 0 before it is stored.
    package var number: Int64 = 0
    /// The name of its pool.
    package let pool: String
    /// The name of its file: the SHA-256 digest of its key, in hexadecimal.
    package let name: String
    /// What a person is shown for its key, without secrets.
    package var label: String
    /// The application's label for what it is.
    package var kind: String?
    /// Whether it may be evicted.
    package var mode: CacheMode
    /// How long it is fresh.
    package var expiry: CacheExpiry
    /// When it was last used.
    package var used: Instant
    /// When it was downloaded, or the server last said that it has no other version.
    package var checked: Instant
    /// What it has.
    package var content: Content
    /// Whether it is to be deleted: its file goes as soon as no owner retains it, and then its row.
    package var isLeaving = false
    /// The transfer that brings it, or a new version of it.
    package var transfer: TransferID?
    /// An application's file that is about to replace its own. If the process dies, this file may be there already.
    package var coming: SavedVersion?
    /// What it waits for, and stays until then; `nil` for nothing.
    package var awaited: Awaited?
    /// How many times it is retained.
    package var retains = 0
    /// Whether it belongs to nodes of trees, and goes with the last of them.
    package var hasNodes = false

    /// The transfer that an entry waits for, such as the upload of its file.
    package struct Awaited: Hashable, Sendable {
        /// The transfer.
        package let transfer: TransferID
        /// What becomes of the entry when that has completed.
        package let fate: CacheFate

        /// Pairs a transfer with what follows.
        package init(_ transfer: TransferID, _ fate: CacheFate) {
            (self.transfer, self.fate) = (transfer, fate)
        }
    }

    /// What an entry has.
    package enum Content: Hashable, Sendable {
        /// Nothing yet: its first download has not ended.
        case expected
        /// The server has no such resource.
        case absent
        /// A file.
        case file(SavedVersion)
    }

    /// The entry that a download is to bring.
    package init(_ terms: CacheTerms, named name: String, label: String, at now: Instant) {
        (pool, self.name, self.label) = (terms.pool, name, label)
        (kind, mode, expiry) = (terms.kind, terms.mode, terms.expiry)
        (used, checked) = (now, now)
        content = .expected
    }

    /// Creates an entry as it is stored.
    package init(
        number: Int64,
        pool: String,
        name: String,
        label: String,
        kind: String?,
        mode: CacheMode,
        expiry: CacheExpiry,
        used: Instant,
        checked: Instant,
        content: Content
    ) {
        (self.number, self.pool, self.name, self.label, self.kind) = (number, pool, name, label, kind)
        (self.mode, self.expiry, self.used, self.checked) = (mode, expiry, used, checked)
        self.content = content
    }

    /// Its file.
    package var version: SavedVersion? {
        if case .file(let version) = content { version } else { nil }
    }

    /// Its terms, with its label for its key.
    package var terms: CacheTerms {
        CacheTerms(pool: pool, key: label, kind: kind, mode: mode, expiry: expiry)
    }

    /// Whether a file is the one that was about to take the place of its own.
    package func expects(_ file: FileSurvey.Entry) -> Bool {
        guard let coming, !isLeaving else { return false }
        return file.kind == .file && coming.identity.isSameFile(as: file.identity)
            && coming.length == file.length
    }

    /// The length of its file in bytes; 0 without one.
    package var bytes: Int64 { version?.length ?? 0 }

    /// Whether it has no file and none will come. While a file is put into the pool, its entry is retained.
    package var isEmpty: Bool { content == .expected && transfer == nil && retains == 0 }

    /// Whether it may be forgotten: it is empty, and no file can be in its place.
    package var mayBeForgotten: Bool { isEmpty && coming == nil }
}

// MARK: Rules

extension StoredEntry {
    /// Whether it is served without asking the server. If the clock was set back since it was last checked, its age is
    /// unknown, and it is not fresh.
    package func isFresh(at now: Instant, in settings: CacheSettings) -> Bool {
        guard content != .expected, !isLeaving else { return false }
        let time: Duration
        switch expiry {
        case .never: return true
        case .after(let own): time = own
        case .inherited:
            guard let inherited = settings.freshFor else { return true }
            time = inherited
        }
        return checked <= now && checked.duration(to: now) < time
    }

    /// Whether it stays until it is removed.
    package var isKept: Bool { mode == .persistent && !hasNodes }

    /// Whether a trim may delete it. What is retained, or is being downloaded, is in use.
    package var mayBeEvicted: Bool {
        mode == .cached && content != .expected && !isLeaving && retains == 0 && transfer == nil
    }

    /// Whether its file may be deleted now.
    package var mayBeDeleted: Bool { isLeaving && retains == 0 && transfer == nil }

    /// Takes what a completed download has saved, or an application has put into the pool.
    ///
    /// - Parameter transfer: the transfer that still brings a version of it.
    package mutating func take(
        _ version: SavedVersion,
        _ terms: CacheTerms,
        expecting transfer: TransferID? = nil,
        at now: Instant
    ) {
        (content, coming) = (.file(version), nil)
        (used, checked) = (now, now)
        take(terms)
        self.transfer = transfer
    }

    /// Notes that the server has no such resource. A file that is there stays: a server may err for a moment.
    package mutating func noteAbsence(_ terms: CacheTerms, at now: Instant) {
        transfer = nil
        guard version == nil, terms.notesAbsence else { return }
        content = .absent
        (used, checked) = (now, now)
        take(terms)
    }

    /// Stays until a transfer has completed.
    package mutating func wait(for awaited: Awaited) { (mode, self.awaited) = (.persistent, awaited) }

    /// Takes the end of the transfer that it waits for into account. If that was cancelled, the entry stays: its file may be the
    /// only copy.
    package mutating func noteEnd(isCompleted: Bool) {
        guard let fate = awaited?.fate else { return }
        awaited = nil
        guard isCompleted else { return }
        switch fate {
        case .cached: mode = .cached
        case .removed: isLeaving = true
        }
    }

    private mutating func take(_ terms: CacheTerms) {
        kind = terms.kind ?? kind
        if terms.mode == .persistent { mode = .persistent }
        expiry = terms.expiry
        (isLeaving, transfer) = (false, nil)
    }
}
