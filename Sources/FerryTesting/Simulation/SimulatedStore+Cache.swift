import FerryCore

extension SimulatedStore {
    func pools() async throws(StoreError) -> [CacheSettings] {
        try await read { () throws(StoreError) in try await base.pools() }
    }

    func pool(named name: String) async throws(StoreError) -> CacheSettings {
        try await read { () throws(StoreError) in try await base.pool(named: name) }
    }

    func edit(pool name: String, _ edit: CacheEdit) async throws(StoreError) -> CacheSettings {
        try await write("edit pool") { () throws(StoreError) in try await base.edit(pool: name, edit) }
    }

    func entry(_ name: String, in pool: String) async throws(StoreError) -> StoredEntry? {
        try await read { () throws(StoreError) in try await base.entry(name, in: pool) }
    }

    func entries(
        _ filter: EntryFilter,
        after number: Int64,
        limit: Int
    ) async throws(StoreError) -> [StoredEntry] {
        try await read { () throws(StoreError) in try await base.entries(filter, after: number, limit: limit)
        }
    }

    func size(ofPool name: String) async throws(StoreError) -> CacheSize {
        try await read { () throws(StoreError) in try await base.size(ofPool: name) }
    }

    func beginImport(_ entry: StoredEntry, by owner: OwnerID) async throws(StoreError) -> StoredEntry {
        try await write("begin import") { () throws(StoreError) in
            try await base.beginImport(entry, by: owner)
        }
    }

    func change(
        _ numbers: [Int64],
        _ change: EntryChange,
        at now: Instant
    ) async throws(StoreError) -> [StoredEntry] {
        try await write("change entries") { () throws(StoreError) in
            if case .remove = change { world.checker.pools.unwanted(numbers) }
            let changed = try await base.change(numbers, change, at: now)
            if change == .mode(.persistent) { world.checker.pools.pinned(changed) }
            return changed
        }
    }

    func evict(fromPool name: String, upTo limit: Int, at now: Instant) async throws(StoreError) -> Int {
        try await write("evict") { () throws(StoreError) in
            try await base.evict(fromPool: name, upTo: limit, at: now)
        }
    }

    func settleExpected(inPool name: String) async throws(StoreError) {
        try await write("settle expected") { () throws(StoreError) in
            try await base.settleExpected(inPool: name)
        }
    }
}
