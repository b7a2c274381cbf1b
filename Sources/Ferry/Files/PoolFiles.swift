import FerryCore
import Logging

/// The files of pools.
struct PoolFiles: Sendable {
    private let seams: ClientSeams
    private let logger: Logger

    init(_ seams: ClientSeams, _ logger: Logger) { (self.seams, self.logger) = (seams, logger) }

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
        // The entry is gone if its process was taken for dead, and another one has forgotten it.
        let entry = try await seams.store.entry(name, in: pool)
        guard entry?.version == nil else { return }
        let directory = directory(of: try await seams.store.pool(named: pool))
        do {
            let name = try FileName(userGiven: name)
            for name in [name, name.partName] { try await remove(name, in: directory, coming.identity) }
        } catch {
            if let entry { noteFailedDeletion(of: entry, error) }
            return
        }
        guard let entry else { return }
        _ = try await seams.store.change([entry.number], .withdraw(coming), at: seams.clock.now)
    }

    /// Deletes the files of entries whose deletion was noted and that no owner retains, and then forgets these. Each step may be
    /// repeated after a crash. A file that cannot be deleted now is left for the next time.
    func deleteLeaving() async throws(StoreError) {
        var filter = EntryFilter()
        filter.isDeletable = true
        var pages = EntryPages(filter, in: seams.store)
        while let page = try await pages.next() {
            var deleted: [StoredEntry] = []
            for listed in page {
                if let entry = try await deleteFile(of: listed) { deleted.append(entry) }
            }
            guard !deleted.isEmpty else { continue }
            let change = EntryChange.forget(Set(deleted.compactMap(\.version)))
            _ = try await seams.store.change(deleted.map(\.number), change, at: seams.clock.now)
        }
    }

    /// Deletes the file of an entry. What has replaced it is left alone.
    ///
    /// - Returns: the entry as it is now; `nil` if its file is left.
    private func deleteFile(of listed: StoredEntry) async throws(StoreError) -> StoredEntry? {
        let directory = directory(of: try await seams.store.pool(named: listed.pool))
        // Since it was listed, a download that was answered with 304 may have brought it back with the same file.
        guard let entry = try await seams.store.entry(listed.name, in: listed.pool),
            entry.number == listed.number, entry.mayBeDeleted
        else { return nil }
        do {
            let name = try FileName(userGiven: entry.name)
            for version in [entry.version, entry.coming].compactMap(\.self) {
                try await remove(name, in: directory, version.identity)
            }
            return entry
        } catch {
            noteFailedDeletion(of: entry, error)
            return nil
        }
    }

    // MARK: Telling

    /// Logs that an entry is not served, because of what is in the place of its file.
    func noteUnserved(_ entry: StoredEntry, finding file: EntryFile) {
        logger.debug("An entry of a pool is not served.", metadata: metadata(of: entry, finding: file))
    }

    /// Logs that an entry is forgotten, because of what is in the place of its file.
    func noteLoss(of entry: StoredEntry, finding file: EntryFile) {
        logger.notice(
            "A file of a pool is gone or was changed, so its entry is forgotten.",
            metadata: metadata(of: entry, finding: file)
        )
    }

    /// Logs that the place of a file could not be looked at.
    func noteUnreadable(_ entry: StoredEntry, _ error: any Error) {
        logger.notice("A file of a pool cannot be looked at.", metadata: metadata(of: entry, error))
    }

    /// Logs that a file is left for the next time. That comes every minute while an engine runs.
    private func noteFailedDeletion(of entry: StoredEntry, _ error: any Error) {
        logger.debug("A file of a pool cannot be deleted now.", metadata: metadata(of: entry, error))
    }

    private func metadata(of entry: StoredEntry) -> Logger.Metadata {
        ["pool": "\(entry.pool)", "entry": "\(entry.label)", "file": "\(entry.name)"]
    }

    private func metadata(of entry: StoredEntry, finding file: EntryFile) -> Logger.Metadata {
        metadata(of: entry).merging(["found": "\(file.rawValue)"]) { $1 }
    }

    private func metadata(of entry: StoredEntry, _ error: any Error) -> Logger.Metadata {
        metadata(of: entry).merging(["error": "\(error)"]) { $1 }
    }
}
