public import FerryCore

/// The application's own files, and how long they stay.
extension CachePool {
    /// Puts a file of the application into the pool, such as a picture that was taken here. Returns once it is durable.
    ///
    /// An entry with this key gets the new bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes of the file, in parts of any length. They are written as they come, and never all in memory.
    ///   - options: its kind, mode and expiry. The others do not apply.
    /// - Throws: ``TransferFailure`` when the file cannot be written, for example because a download of the entry is under way;
    ///   ``StoreError``; `CancellationError` when its task is cancelled; and what `bytes` throws. The pool is unchanged then.
    @discardableResult
    public func add<Bytes: AsyncSequence>(
        _ bytes: Bytes,
        as key: CacheKey,
        options: CacheOptions = CacheOptions()
    ) async throws -> CacheEntry where Bytes.Element == [UInt8] {
        let place = try await place(of: key)
        try await makeDirectory(place.settings)
        let terms = CacheTerms(
            pool: name,
            key: key.label,
            kind: options.kind,
            mode: options.mode,
            expiry: options.expiry
        )
        let owner = try await client.ownership.join()
        let new = StoredEntry(terms, named: place.name, label: key.label, at: client.now)
        let number = try await client.store.beginImport(new, by: owner).number
        var coming: SavedVersion?
        let entry: StoredEntry
        do {
            let version = try await save(bytes, at: place.file, for: number, announcing: &coming)
            let change = EntryChange.take(version, terms, by: owner)
            let taken = try await client.store.change([number], change, at: client.now).first
            // It was retained. Only if this process has left meanwhile, its entry may be gone.
            guard let taken else { throw StoreError.ownerRemoved }
            entry = taken
        } catch {
            do throws(StoreError) {
                let files = client.poolFiles
                if let coming { try await files.removeUnrecorded(coming, of: place.name, in: name) }
            } catch {
                // A trim deletes the file.
            }
            try await release(number, owner)
            try await client.poolFiles.deleteLeaving()
            throw error
        }
        try await client.poolFiles.deleteLeaving()
        return shown(entry, at: place)
    }

    private func save<Bytes: AsyncSequence>(
        _ bytes: Bytes,
        at place: FilePlace,
        for number: Int64,
        announcing coming: inout SavedVersion?
    ) async throws -> SavedVersion where Bytes.Element == [UInt8] {
        let files = client.seams.files
        do {
            try await removeLeftover(at: place)
            try await removeLink(at: place)
            let part = try await files.createPart(at: place)
            do {
                var length: Int64 = 0
                for try await more in bytes {
                    try await part.write(all: more, at: length)
                    length += Int64(more.count)
                }
                // Some sequences just end when their task is cancelled. What came until then is not the file.
                try Task.checkCancellation()
                try await part.synchronize()
                // Only a file with a name can replace another one.
                if !part.isNamed { try await part.takeName() }
                let file = SavedVersion(PlacedFile(identity: part.identity, length: length, modified: nil))
                _ = try await client.store.change([number], .announce(file), at: client.now)
                coming = file
                let modified = try await part.publish(as: place.name, replacing: true)
                return SavedVersion(PlacedFile(identity: part.identity, length: length, modified: modified))
            } catch {
                await part.close()
                if part.isNamed { try await files.removePart(at: place, identity: part.identity) }
                throw error
            }
        } catch let problem as StorageProblem {
            throw problem.problem.failure
        }
    }

    /// Removes the part file that a killed process has left of a file of the application. That of a download stays, and so does
    /// one that is being written.
    private func removeLeftover(at place: FilePlace) async throws {
        let survey = try await client.seams.files.survey(place)
        guard let part = survey.part, part.kind == .file, !survey.isPartHeld,
            try await client.store.entry(place.name.rawValue, in: name)?.transfer == nil
        else { return }
        try await client.seams.files.removePart(at: place, identity: part.identity)
    }

    /// Keeps an entry from being evicted until a transfer has completed, such as the upload of its file. The commit that completes
    /// the transfer also lets the entry be evicted, or removes it. If the transfer is cancelled, the entry stays persistent.
    ///
    /// ``pin(_:)`` and ``unpin(_:)`` end this.
    ///
    /// - Parameters:
    ///   - transfer: the transfer. If it has completed already, `fate` takes effect now.
    ///   - fate: what becomes of the entry then. The file of a removed one is deleted as soon as no one retains it.
    /// - Returns: the entry; `nil` if the pool has none with this key any more, or its file is gone.
    /// - Throws: ``StoreError/noSuchTransfer(_:)`` for a transfer that the store does not know any more.
    @discardableResult
    public func keep(
        _ key: CacheKey,
        until transfer: TransferID,
        then fate: CacheFate
    ) async throws -> CacheEntry? {
        guard let (entry, place) = try await found(key) else { return nil }
        let change = EntryChange.wait(StoredEntry.Awaited(transfer, fate))
        let changed = try await client.store.change([entry.number], change, at: client.now).first
        guard let changed, !changed.isLeaving else {
            try await client.poolFiles.deleteLeaving()
            return nil
        }
        return shown(changed, at: place)
    }
}
