import FerryCore

/// What a pool has, for a person who looks.
extension CachePool {
    /// Some of its entries, in the order in which they were added, with what is in the places of their files. Nothing is changed.
    ///
    /// - Parameters:
    ///   - number: the number of the last entry of the page before; 0 for the first page.
    ///   - limit: the maximum number of entries.
    /// - Returns: the entries; `nil` in place of the next number when there are no more.
    package func entries(
        after number: Int64,
        limit: Int
    ) async throws -> (entries: [ListedEntry], next: Int64?) {
        let settings = try await settings
        let page = try await client.store.entries(EntryFilter(pool: name), after: number, limit: limit)
        var listed: [ListedEntry] = []
        for entry in page where entry.content != .expected && !entry.isLeaving {
            let place = try place(named: entry.name, settings)
            listed.append(
                ListedEntry(entry: shown(entry, at: place, settings), file: await file(of: entry, at: place))
            )
        }
        return (listed, page.count < limit ? nil : page.last?.number)
    }

    private func file(of entry: StoredEntry, at place: FilePlace) async -> EntryFile? {
        guard entry.version != nil else { return nil }
        do {
            return entry.file(finding: try await final(at: place))
        } catch {
            return .unreadable
        }
    }

    /// The number of entries whose deletion was noted, that no one uses any more, and whose files could not be deleted yet.
    package var undeletedCount: Int {
        get async throws(StoreError) {
            var filter = EntryFilter(pool: name)
            filter.isDeletable = true
            var (count, last) = (0, Int64(0))
            while true {
                let page = try await client.store.entries(filter, after: last, limit: Self.pageLength)
                count += page.count
                guard let next = page.last?.number, page.count == Self.pageLength else { return count }
                last = next
            }
        }
    }
}
