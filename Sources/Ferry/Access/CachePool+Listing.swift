import FerryCore

/// What a pool has, for a person who looks.
extension CachePool {
    /// Visits its entries in the order in which they were added, with what is in the places of their files. Nothing is changed.
    package func forEachEntry(_ body: (ListedEntry) async throws -> Void) async throws {
        let settings = try await settings
        var pages = entryPages()
        while let page = try await pages.next() {
            for entry in page where entry.content != .expected && !entry.isLeaving {
                let place = try place(named: entry.name, settings)
                let file = await file(of: entry, at: place)
                try await body(ListedEntry(entry: shown(entry, at: place), file: file))
            }
        }
    }

    private func file(of entry: StoredEntry, at place: EntryPlace) async -> EntryFile? {
        guard entry.version != nil else { return nil }
        do {
            return entry.file(finding: try await final(at: place))
        } catch {
            return .unreadable
        }
    }

    /// The number of entries whose deletion was noted, that no one uses any more, and whose files could not be deleted yet.
    package var undeletedCount: Int {
        get async throws {
            var count = 0
            var pages = entryPages(isDeletable: true)
            while let page = try await pages.next() { count += page.count }
            return count
        }
    }
}
