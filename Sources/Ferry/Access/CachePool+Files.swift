import FerryCore

/// The files of a pool.
extension CachePool {
    /// The place of an entry's file. Its name is a digest of the key, so that no key leads out of the directory, and no secret
    /// in a key is shown.
    func place(of key: CacheKey) async throws -> EntryPlace {
        let settings = try await settings
        let digest = try await client.digests(of: StoredBody(key.identity.utf8), by: [.sha256])[0]
        return try place(named: digest.hex, settings)
    }

    func place(named name: String, _ settings: CacheSettings) throws -> EntryPlace {
        let directory = client.poolFiles.directory(of: settings)
        let file = FilePlace(directory: directory, name: try FileName(userGiven: name))
        return EntryPlace(file: file, settings: settings)
    }

    /// The path of a directory without symbolic links.
    ///
    /// It must not overlap with a directory that pools have by default, which may be a link. The store compares it with those that
    /// were chosen, in the transaction that records it.
    func resolved(_ directory: String) async throws(StoreError) -> String {
        let files = client.seams.files
        let resolved = await files.resolvedPath(of: directory)
        var usual: [(path: String, pool: String?)] = [(client.seams.cacheDirectory, nil)]
        for other in try await client.store.pools() where other.pool != name && other.directory == nil {
            usual.append((client.poolFiles.directory(of: other), other.pool))
        }
        for (path, pool) in usual.reversed() {
            let taken = await files.resolvedPath(of: path)
            if CacheSettings.overlap(resolved, taken) {
                throw .refusedPool(.directoryInUse(resolved, by: pool))
            }
        }
        return resolved
    }

    /// Makes the directory of the pool if it is not there.
    func makeDirectory(_ settings: CacheSettings) async throws {
        do throws(StorageProblem) {
            if let directory = settings.directory {
                return try await client.seams.files.makeDirectory(directory)
            }
            try await client.seams.files.makeDirectory(client.seams.cacheDirectory)
            try await client.seams.files.makeDirectory("\(client.seams.cacheDirectory)/\(name)")
        } catch {
            throw error.problem.failure
        }
    }

    /// Removes a symbolic link in the place of a file, so that a file can take the place. Ferry never puts one there. What it leads
    /// to is left alone.
    func removeLink(at place: FilePlace) async throws(StorageProblem) {
        _ = try await client.seams.files.removeLink(at: place)
    }

    /// An entry as it is now, if its file is in its place, unchanged; `nil` otherwise. An entry that notes an absence has no file.
    ///
    /// - Throws: ``TransferFailure`` when that cannot be told, for example because the disk fails.
    func intact(_ entry: StoredEntry, at place: EntryPlace) async throws -> StoredEntry? {
        try await look(at: entry, in: place).intact
    }

    /// The same, with what was found in the place of its file.
    private func look(
        at entry: StoredEntry,
        in place: EntryPlace
    ) async throws -> (intact: StoredEntry?, file: EntryFile?) {
        guard entry.version != nil else { return (entry.content == .absent ? entry : nil, nil) }
        let final = try await final(at: place)
        let file = entry.file(finding: final)
        if file == .intact { return (entry, file) }
        guard file == .arrived, let final else {
            if let file { client.poolFiles.noteUnserved(entry, finding: file) }
            return (nil, file)
        }
        // The process that has put it there died before it could note that.
        let placed = PlacedFile(identity: final.identity, length: final.length, modified: final.modified)
        let change = EntryChange.arrive(SavedVersion(placed))
        let now = try await client.store.change([entry.number], change, at: client.now).first
        let isServed = now?.version?.isStill(final) == true && now?.isLeaving == false
        return (isServed ? now : nil, file)
    }

    /// An entry that was asked for, as it is now; `nil` if it cannot be served. One whose file is gone is forgotten.
    func served(_ entry: StoredEntry, at place: EntryPlace) async throws -> StoredEntry? {
        let file: EntryFile?
        do {
            let found = try await look(at: entry, in: place)
            if let entry = found.intact { return entry }
            file = found.file
        } catch let failure as TransferFailure {
            // Its file may still be there. The download reports what is wrong with the directory.
            client.poolFiles.noteUnreadable(entry, failure)
            return nil
        }
        if let version = entry.version, entry.transfer == nil {
            _ = try await client.store.change([entry.number], .lose(version), at: client.now)
            if let file { client.poolFiles.noteLoss(of: entry, finding: file) }
        }
        return nil
    }

    /// What has the name of an entry's file; `nil` if nothing has, or there is no directory.
    func final(at place: EntryPlace) async throws -> FileSurvey.Entry? {
        do throws(StorageProblem) {
            return try await client.seams.files.survey(place.file).final
        } catch {
            if error.isAbsence { return nil }
            throw error.problem.failure
        }
    }

    /// Whether the file of an entry lacks what a caller requires of it, such as a digest.
    func lacks(_ asked: DownloadOptions, _ entry: StoredEntry, at place: EntryPlace) async throws -> Bool {
        guard entry.version != nil, asked.checksum != nil || asked.pieces != nil || asked.length != nil,
            let final = try await final(at: place)
        else { return false }
        do throws(StorageProblem) {
            return try await client.seams.flaw(of: place.file, final, asked: asked) != nil
        } catch {
            return true
        }
    }

    /// The entry with a key, if it is served. One that is leaving is served only to a caller that retains it.
    func found(
        _ key: CacheKey,
        retainedBy retain: CacheRetain? = nil
    ) async throws -> (entry: StoredEntry, place: EntryPlace)? {
        let place = try await place(of: key)
        guard let known = try await client.store.entry(place.name, in: name),
            !known.isLeaving || known.number == retain?.number,
            let entry = try await intact(known, at: place)
        else { return nil }
        return (entry, place)
    }

    /// An entry as a caller sees it.
    func shown(_ entry: StoredEntry, at place: EntryPlace) -> CacheEntry {
        CacheEntry(
            entry,
            path: entry.version == nil ? nil : place.file.path,
            isFresh: entry.isFresh(at: client.now, in: place.settings)
        )
    }

    /// Deletes files without an entry, and forgets entries without their file. Also deletes symbolic links in the directory that
    /// the pool has by default: Ferry never puts one there.
    ///
    /// The directory is read before the store: what a download publishes meanwhile has an entry since it was added.
    func tidy() async throws {
        let settings = try await settings
        let directory = client.poolFiles.directory(of: settings)
        let names: [FileName]
        do throws(StorageProblem) {
            names = try await client.seams.files.listing(of: directory)
        } catch {
            throw error.problem.failure
        }
        try await client.store.settleExpected(inPool: name)
        try await removeUnrecorded()
        let pools = [name] + (try await client.store.pools().map(\.pool).filter { $0 != name })
        for name in names {
            let text = name.rawValue
            let isPart = text.hasSuffix(".part")
            let base = isPart ? String(text.dropLast(5)) : text
            // Another program's files may be in a directory that was chosen for the pool.
            guard base.isEntryName, !isPart || settings.directory == nil, try await !isNamed(base, in: pools)
            else {
                continue
            }
            let place = try place(named: base, settings)
            do {
                let survey = try await client.seams.files.survey(place.file)
                guard let found = isPart ? survey.part : survey.final else { continue }
                if found.kind == .symbolicLink, settings.directory == nil {
                    try await removeLink(at: FilePlace(directory: directory, name: name))
                }
                guard found.kind == .file, !isPart || !survey.isPartHeld else { continue }
                // A process may have put its file there since, and records it only now. Its entry came before.
                guard try await !isNamed(base, in: pools),
                    try await isOrphan(found.identity, at: place)
                else { continue }
                try await client.poolFiles.remove(name, in: directory, found.identity)
            } catch let problem as StorageProblem {
                throw problem.problem.failure
            }
        }
        try await forgetLost(settings)
    }

    /// Whether one of the pools has an entry whose file has this name. A link may make two pools share a directory.
    private func isNamed(_ file: String, in pools: [String]) async throws(StoreError) -> Bool {
        for pool in pools where try await client.store.entry(file, in: pool) != nil { return true }
        return false
    }

    /// Whether no entry of any pool has a file, and Ferry has placed it. All files in the directory that a pool has by default
    /// are Ferry's.
    private func isOrphan(_ identity: FileIdentity, at place: EntryPlace) async throws(StoreError) -> Bool {
        guard try await !client.hasEntry(with: identity) else { return false }
        guard place.settings.directory != nil else { return true }
        return try await client.hasSaved(identity, at: place.file.path)
    }

    /// Removes files of processes that died after they had put them into the pool, and before they recorded that.
    private func removeUnrecorded() async throws {
        var pages = entryPages()
        while let page = try await pages.next() {
            for entry in page where entry.isEmpty {
                guard let coming = entry.coming else { continue }
                try await client.poolFiles.removeUnrecorded(coming, of: entry.name, in: name)
            }
        }
    }

    private func forgetLost(_ settings: CacheSettings) async throws {
        var pages = entryPages()
        while let page = try await pages.next() {
            for entry in page where entry.version != nil && entry.transfer == nil {
                _ = try await served(entry, at: place(named: entry.name, settings))
            }
        }
    }

    /// Its stored entries, a page at a time.
    ///
    /// - Parameter isDeletable: whether only those are meant whose deletion was noted, and that no one uses any more.
    func entryPages(isDeletable: Bool = false) -> EntryPages {
        var filter = EntryFilter(pool: name)
        filter.isDeletable = isDeletable
        return EntryPages(filter, in: client.store)
    }
}

extension String {
    /// Whether it may be the name of an entry's file: 64 hexadecimal digits.
    fileprivate var isEntryName: Bool {
        utf8.count == 64
            && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

extension TransferAccess {
    /// Deletes a file that Ferry has downloaded, unless an entry of a pool has it.
    ///
    /// It judges by the identity of the file. A link is neither followed nor deleted. A file is taken for downloaded only if the
    /// store still knows the transfer that saved it under this path.
    ///
    /// - Parameter path: the absolute path under which it was saved.
    /// - Returns: whether it was deleted.
    /// - Throws: ``StoreError``; ``TransferFailure`` when it cannot be deleted.
    @discardableResult
    public func deleteFileIfUnmanaged(_ path: String) async throws -> Bool {
        guard let slash = path.lastIndex(of: "/"), path.hasPrefix("/") else { return false }
        let parent = path[..<slash]
        let name = try FileName(userGiven: String(path[path.index(after: slash)...]))
        let directory = parent.isEmpty ? "/" : String(parent)
        do {
            let place = FilePlace(directory: directory, name: name)
            guard let final = try await client.seams.files.survey(place).final, final.kind == .file else {
                return false
            }
            guard try await !client.hasEntry(with: final.identity),
                try await client.hasSaved(final.identity, at: path)
            else { return false }
            try await client.poolFiles.remove(name, in: directory, final.identity)
            return true
        } catch let problem as StorageProblem {
            throw problem.problem.failure
        }
    }
}

extension TransferClient {
    /// Whether an entry of any pool has this file.
    fileprivate func hasEntry(with identity: FileIdentity) async throws(StoreError) -> Bool {
        var filter = EntryFilter()
        filter.inode = identity.inode
        let entries = try await store.entries(filter, after: 0, limit: ClientSeams.pageLength)
        return entries.contains { $0.version?.identity.isSameFile(as: identity) == true }
    }

    /// Whether a transfer that the store knows has saved this file under a path.
    fileprivate func hasSaved(_ identity: FileIdentity, at path: String) async throws(StoreError) -> Bool {
        let saved = try await store.completed(saving: [.path(path)])[0]?.download?.progress.part
        return saved?.identity.isSameFile(as: identity) == true
    }
}
