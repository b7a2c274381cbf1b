import FerryCore

/// The files of pools.
struct PoolFiles: Sendable {
    private let seams: ClientSeams

    init(_ seams: ClientSeams) { self.seams = seams }

    /// The directory of a pool.
    func directory(of settings: CacheSettings) -> String {
        settings.directory ?? "\(seams.cacheDirectory)/\(settings.pool)"
    }

    /// Removes a file with a certain identity.
    func remove(
        _ name: FileName,
        in directory: String,
        _ identity: FileIdentity
    ) async throws(StorageProblem) {
        let place = FilePlace(directory: directory, name: name, part: name)
        try await seams.files.removePart(at: place, identity: identity)
    }

    /// Removes a file that was put into a pool for an entry without one, because it was not recorded that the file has come. An
    /// entry that nothing else is to come to is then forgotten. If the disk fails, the file is left for the next time.
    func removeUnrecorded(_ coming: SavedVersion, of name: String, in pool: String) async throws(StoreError) {
        guard let entry = try await seams.store.entry(name, in: pool), entry.version == nil else { return }
        let directory = directory(of: try await seams.store.pool(named: pool))
        do {
            let name = try FileName(userGiven: name)
            for name in [name, name.partName] { try await remove(name, in: directory, coming.identity) }
        } catch {
            return
        }
        _ = try await seams.store.change([entry.number], .withdraw(coming), at: seams.clock.now)
    }

    /// Deletes the files of entries whose deletion was noted and that no owner retains, and then forgets these. Each step may be
    /// repeated after a crash. A file that cannot be deleted now is left for the next time.
    func deleteLeaving() async throws(StoreError) {
        var filter = EntryFilter()
        filter.isDeletable = true
        var last: Int64 = 0
        while true {
            let page = try await seams.store.entries(filter, after: last, limit: ClientSeams.pageLength)
            var deleted: [StoredEntry] = []
            for entry in page where try await deleteFile(of: entry) { deleted.append(entry) }
            if !deleted.isEmpty {
                let change = EntryChange.forget(Set(deleted.compactMap(\.version)))
                _ = try await seams.store.change(deleted.map(\.number), change, at: seams.clock.now)
            }
            guard let next = page.last?.number, page.count == ClientSeams.pageLength else { return }
            last = next
        }
    }

    private func deleteFile(of entry: StoredEntry) async throws(StoreError) -> Bool {
        let directory = directory(of: try await seams.store.pool(named: entry.pool))
        do {
            for version in [entry.version, entry.coming].compactMap(\.self) {
                try await remove(FileName(userGiven: entry.name), in: directory, version.identity)
            }
            return true
        } catch {
            return false
        }
    }
}
