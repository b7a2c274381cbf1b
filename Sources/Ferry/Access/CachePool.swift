public import FerryCore

/// A managed cache of downloaded files: a directory, its entries in the store, and limits.
///
/// ```swift
/// let thumbnails = engine.cache("thumbnails")
/// var limits = CacheEdit()
/// limits.maxBytes = 256 << 20
/// try await thumbnails.edit(limits)
/// if let entry = try await thumbnails.get(url), let path = entry.path {
///     print(path, entry.bytes)
/// }
/// ```
///
/// A fresh entry is served without a request. Any other is revalidated by its ETag or date. An entry whose file is gone or was
/// changed is downloaded again. Only a regular file that Ferry has placed is served: a symbolic link in the place of a file is
/// never followed, and counts as no file. Several processes may use one pool at once.
public struct CachePool: Sendable {
    /// Its name, which has the form of a queue's name.
    public let name: String
    let client: TransferClient
    /// Adds a transfer, and runs it if there is an engine.
    private let start: @Sendable (NewTransfer) async throws(StoreError) -> TransferID

    /// How many times a file that is deleted as soon as it has arrived is downloaded again.
    private static let mostTries = 3

    init(
        _ name: String,
        _ client: TransferClient,
        start: @escaping @Sendable (NewTransfer) async throws(StoreError) -> TransferID
    ) {
        (self.name, self.client, self.start) = (name, client, start)
    }

    // MARK: Getting

    /// Returns the file of a URL: from the pool if it is there and fresh, otherwise from the server.
    ///
    /// The download is an ordinary transfer: it is durable, resumes, retries, and is shared by all who ask for it. It continues
    /// when the task of this call is cancelled. Through a client without an engine, another process has to run it.
    ///
    /// - Parameter key: the key of the entry; `nil` for the URL.
    /// - Returns: the entry; `nil` when the server has no such resource, if ``CacheOptions/cachesAbsence`` says so.
    /// - Throws: ``TransferFailure`` when the download failed; ``NoResult`` as ``TransferHandle/value()``; ``StoreError``, with
    ///   ``StoreError/refusedPool(_:)`` for a name that no pool may have; `CancellationError`.
    public func get(
        _ url: HTTPURL,
        key: CacheKey? = nil,
        options: CacheOptions = CacheOptions()
    ) async throws -> CacheEntry? {
        for _ in 1...Self.mostTries {
            let new: NewTransfer
            switch try await prepare(url, key: key, options) {
            case .present(let entry): return entry.path == nil ? nil : entry
            case .stale(let entry, let transfer):
                if options.servesStale {
                    var stale = entry
                    stale.revalidation = try await start(transfer)
                    return stale.path == nil ? nil : stale
                }
                new = transfer
            case .missing(let transfer): new = transfer
            }
            do {
                _ = try await client.transfer(start(new)).value()
            } catch let failure as TransferFailure {
                guard options.cachesAbsence, [.notFound, .gone].contains(failure.code) else { throw failure }
                return nil
            }
            if let entry = try await take(key ?? .url(url), options) { return entry }
        }
        throw TransferFailure(
            .cannotOpen,
            "The file of \((key ?? .url(url)).label) in pool \(name) was deleted as soon as it was downloaded."
        )
    }

    /// What is to be done for a file.
    package enum Preparation: Sendable {
        /// Nothing: it is fresh.
        case present(CacheEntry)
        /// The server is asked whether it has another version.
        case stale(CacheEntry, NewTransfer)
        /// It is downloaded.
        case missing(NewTransfer)
    }

    /// Looks for an entry, and makes the transfer that brings it if it is not fresh.
    package func prepare(
        _ url: HTTPURL,
        key: CacheKey? = nil,
        _ options: CacheOptions
    ) async throws -> Preparation {
        let key = key ?? .url(url)
        let place = try await place(of: key)
        var known = try await usable(options.download, at: place)
        // A recorded absence is used only for a caller that caches absences.
        if known?.content == .absent, !options.cachesAbsence { known = nil }
        if let entry = known, entry.isFresh(at: client.now, in: place.settings) {
            if let used = try await used(entry, options.mode) {
                return .present(shown(used, at: place))
            }
            known = nil
        }
        let work = try await work(bringing: key, from: url, options, over: known, at: place)
        var new = NewTransfer(work.specification)
        new.work = .download(work)
        guard let known, !known.isLeaving else { return .missing(new) }
        return .stale(shown(known, at: place), new)
    }

    /// Notes a use of an entry; returns the entry as it is then, or `nil` if its deletion was noted meanwhile.
    private func used(_ entry: StoredEntry, _ mode: CacheMode) async throws(StoreError) -> StoredEntry? {
        if mode == .persistent, !entry.isKept {
            _ = try await client.store.change([entry.number], .mode(.persistent), at: client.now)
        }
        let used = try await client.store.change([entry.number], .use, at: client.now).first
        return used?.isLeaving == false ? used : nil
    }

    /// The entry at a place, unless its file is gone or lacks what a download requires.
    private func usable(_ options: DownloadOptions, at place: EntryPlace) async throws -> StoredEntry? {
        guard !options.isSealed else {
            throw TransferFailure(
                .refused,
                "A file of a pool is served to all who ask for its URL, so it cannot be sealed for some."
            )
        }
        var known = try await client.store.entry(place.name, in: name)
        if let entry = known { known = try await served(entry, at: place) }
        if let entry = known, try await lacks(options, entry, at: place) { known = nil }
        return known
    }

    /// The download of an entry's file, which asks for another version than that of the file that is there.
    private func work(
        bringing key: CacheKey,
        from url: HTTPURL,
        _ options: CacheOptions,
        over known: StoredEntry?,
        at place: EntryPlace
    ) async throws -> DownloadWork {
        var download = options.download
        (download.existingFile, download.updates, download.range) = (.overwrite, true, nil)
        (download.allowsDowngrade, download.connection.trustsAnyCertificate) = (false, false)
        download.cache = CacheTerms(
            pool: name,
            key: key == .url(url) ? nil : key.label,
            kind: options.kind,
            mode: options.mode,
            expiry: options.expiry,
            notesAbsence: options.cachesAbsence
        )
        let destination = Destination.file(directory: place.file.directory, name: place.file.name)
        var work = DownloadWork(DownloadSpecification(url: url, destination: destination, options: download))
        if let version = known?.version { work.progress.saved = version }
        try await makeDirectory(place.settings)
        if known?.version == nil {
            do throws(StorageProblem) {
                try await removeLink(at: place.file)
            } catch {
                // The download reports that the link is in its way.
            }
        }
        return work
    }

    /// The download of a node of a tree that brings the file of a URL into the pool (``TransferTree/downloadNeeded(under:_:)``). The
    /// commit that completes it records the entry, and unmarks the node.
    ///
    /// The server is asked even if the entry is fresh, because the node is marked. If the file of the entry is there, the server
    /// sends it only in another version. When the node is removed (``TransferTree/remove(_:)``), the entry is removed as well, unless it
    /// belongs to another node, or was pinned (``pin(_:)``), kept (``keep(_:until:then:)``) or got
    /// (``get(_:key:options:)``) as a persistent one.
    ///
    /// - Parameters:
    ///   - key: the key of the entry; `nil` for the URL.
    ///   - components: the components of the node that it downloads.
    ///   - queue: the queue to add it to.
    ///   - priority: higher runs first within that queue.
    ///   - isAfterParent: whether it begins only after the transfer of the nearest node above, and fails with it.
    /// - Throws: as ``get(_:key:options:)``, except the failure of a download, which has not begun yet.
    public func download(
        of url: HTTPURL,
        key: CacheKey? = nil,
        options: CacheOptions = CacheOptions(),
        components: NodeComponents = .all,
        queue: String = NewTransfer.defaultQueue,
        priority: Int = 0,
        isAfterParent: Bool = false
    ) async throws -> NodeDownload {
        let key = key ?? .url(url)
        let place = try await place(of: key)
        let known = try await usable(options.download, at: place)
        let work = try await work(bringing: key, from: url, options, over: known, at: place)
        var download = NodeDownload(
            work.specification,
            components: components,
            queue: queue,
            priority: priority,
            isAfterParent: isAfterParent
        )
        download.transfer.work = .download(work)
        return download
    }

    /// The entry that a completed download has brought; `nil` if its file is gone already. Deletes what the pool has no room for.
    ///
    /// - Parameter retain: the caller's retain of the entry. It keeps the file even if another process has removed the entry since
    ///   the download completed.
    package func take(
        _ key: CacheKey,
        _ options: CacheOptions,
        retainedBy retain: CacheRetain? = nil
    ) async throws -> CacheEntry? {
        guard let (known, place) = try await found(key, retainedBy: retain), known.version != nil else {
            return nil
        }
        var entry = known
        if options.mode == .persistent, !entry.isKept {
            // The download of another caller, or of a node, brought it.
            let change = EntryChange.mode(.persistent)
            let kept = try await client.store.change([entry.number], change, at: client.now).first
            guard let kept, !kept.isLeaving || kept.number == retain?.number else { return nil }
            entry = kept
        }
        try await client.poolFiles.deleteLeaving()
        return shown(entry, at: place)
    }

    // MARK: Looking

    /// The entry with a key; `nil` if the pool has none, or its file is gone or was changed. This is no use, and makes no request.
    ///
    /// - Throws: ``TransferFailure`` when that cannot be told, for example because the disk fails; ``StoreError``.
    public func entry(for key: CacheKey) async throws -> CacheEntry? {
        try await found(key).map { shown($0.entry, at: $0.place) }
    }

    /// Its size by the modes of its entries.
    public var size: CacheSize {
        get async throws(StoreError) { try await client.store.size(ofPool: name) }
    }

    /// Its size, and each other size that it has from now on, such as for a display of the space that is used.
    public func sizes() -> CacheSizes { CacheSizes(pool: self) }

    /// Its settings.
    ///
    /// - Throws: ``StoreError/refusedPool(_:)`` for a name that no pool may have.
    public var settings: CacheSettings {
        get async throws(StoreError) {
            guard TransferQueue.isName(name) else { throw .refusedPool(.name(name)) }
            return try await client.store.pool(named: name)
        }
    }

    // MARK: Changing

    /// Changes its settings. A lower limit takes effect with the next download or ``trim()``.
    ///
    /// - Returns: the settings after that.
    /// - Throws: ``StoreError/refusedPool(_:)`` when they make no sense, or the directory overlaps with that of another pool;
    ///   nothing is changed then.
    @discardableResult
    public func edit(_ edit: CacheEdit) async throws(StoreError) -> CacheSettings {
        var edit = edit
        if case let directory?? = edit.directory, directory.hasPrefix("/") {
            edit.directory = .some(try await resolved(directory))
        }
        return try await client.store.edit(pool: name, edit)
    }

    /// Makes an entry persistent: it is not evicted. The commit survives power loss.
    ///
    /// - Returns: the entry; `nil` if the pool has none with this key, or its file is gone.
    /// - Throws: as ``entry(for:)``.
    @discardableResult
    public func pin(_ key: CacheKey) async throws -> CacheEntry? { try await change(key, .mode(.persistent)) }

    /// Lets an entry be evicted again.
    ///
    /// - Returns: the entry; `nil` if the pool has none with this key, or its file is gone.
    /// - Throws: as ``entry(for:)``.
    @discardableResult
    public func unpin(_ key: CacheKey) async throws -> CacheEntry? { try await change(key, .mode(.cached)) }

    /// Keeps the file of an entry from being deleted, for as long as this process uses it.
    ///
    /// - Returns: what releases it; `nil` if the pool has no entry with this key, or its file is gone.
    /// - Throws: as ``entry(for:)``.
    public func retain(_ key: CacheKey) async throws -> CacheRetain? {
        guard let (known, place) = try await found(key), known.version != nil,
            let (entry, retain) = try await retained(known, at: place)
        else { return nil }
        // It may have been deleted before it was retained.
        let isThere: Result<Bool, any Error>
        do {
            let intact = try await intact(entry, at: place)
            isThere = .success(intact != nil && !entry.isLeaving)
        } catch {
            isThere = .failure(error)
        }
        guard case .success(true) = isThere else {
            try await retain.release()
            _ = try isThere.get()
            return nil
        }
        return retain
    }

    /// Retains an entry whose download was added, so that no one deletes its file between the arrival and the release.
    ///
    /// - Returns: what releases it; `nil` if the pool has no entry with this key any more, or its file may be being deleted.
    package func retainExpected(_ key: CacheKey) async throws -> CacheRetain? {
        let place = try await place(of: key)
        guard let known = try await client.store.entry(place.name, in: name) else { return nil }
        return try await retained(known, at: place)?.retain
    }

    private func retained(
        _ known: StoredEntry,
        at place: EntryPlace
    ) async throws(StoreError) -> (entry: StoredEntry, retain: CacheRetain)? {
        let owner = try await client.ownership.join()
        let changed = try await client.store.change([known.number], .retain(owner), at: client.now).first
        guard let entry = changed, !entry.isLeaving || entry.transfer != nil else { return nil }
        let shown = shown(entry, at: place)
        return (entry, CacheRetain(shown, entry.number, owner: owner, in: self))
    }

    /// Records a release. ``PoolFiles/deleteLeaving()`` deletes what is free then.
    func release(_ number: Int64, _ owner: OwnerID) async throws(StoreError) {
        _ = try await client.store.change([number], .release(owner), at: client.now)
    }

    /// Removes an entry and its file, whatever its mode. While it is retained, its deletion is only noted: it is no longer served,
    /// and its file is deleted at the last release. A download of it that is under way still brings it.
    ///
    /// - Returns: whether the pool had such an entry.
    @discardableResult
    public func remove(_ key: CacheKey) async throws -> Bool {
        let place = try await place(of: key)
        guard let entry = try await client.store.entry(place.name, in: name), !entry.isLeaving,
            entry.content != .expected
        else { return false }
        _ = try await client.store.change([entry.number], .remove(nil), at: client.now)
        try await client.poolFiles.deleteLeaving()
        return true
    }

    /// Removes all entries and their files, as ``remove(_:)`` does.
    ///
    /// - Parameter mode: only those with this mode; `nil` for all.
    /// - Returns: how many.
    @discardableResult
    public func removeAll(_ mode: CacheMode? = nil) async throws -> Int {
        _ = try await settings
        var count = 0
        var pages = entryPages()
        while let page = try await pages.next() {
            let wanted = page.filter {
                !$0.isLeaving && $0.content != .expected && mode ?? $0.mode == $0.mode
            }
            let changed = try await client.store.change(wanted.map(\.number), .remove(mode), at: client.now)
            try await client.poolFiles.deleteLeaving()
            count += changed.count(where: \.isLeaving)
        }
        return count
    }

    /// Evicts what the limits leave no room for, deletes files that no entry has, and forgets entries whose file is gone.
    ///
    /// - Returns: the number of evicted entries.
    /// - Throws: ``StoreError``; ``TransferFailure`` when the directory cannot be read, or a file that no entry has cannot be
    ///   deleted.
    @discardableResult
    public func trim() async throws -> Int {
        try await client.rescueTheDead()
        try await tidy()
        var count = 0
        while true {
            let more = try await client.store.evict(
                fromPool: name,
                upTo: ClientSeams.pageLength,
                at: client.now
            )
            try await client.poolFiles.deleteLeaving()
            count += more
            if more < ClientSeams.pageLength { return count }
        }
    }

    private func change(_ key: CacheKey, _ change: EntryChange) async throws -> CacheEntry? {
        guard let (entry, place) = try await found(key) else { return nil }
        let changed = try await client.store.change([entry.number], change, at: client.now).first
        // Another process may have evicted it since it was found.
        guard let changed, !changed.isLeaving else { return nil }
        return shown(changed, at: place)
    }
}

extension TransferAccess {
    /// The pool with this name. Downloads for it run when a process runs the queue.
    public func cache(_ name: String) -> CachePool {
        CachePool(name, client) { [client] new throws(StoreError) in try await client.add(new).id }
    }

    /// The pools that were ever changed or have entries, by name.
    public func cachePools() async throws(StoreError) -> [CacheSettings] { try await client.store.pools() }
}
