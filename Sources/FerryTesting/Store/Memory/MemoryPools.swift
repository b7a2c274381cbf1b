package import FerryCore

/// The pools of a memory store.
struct MemoryPools: Sendable {
    var settings: [String: CacheSettings] = [:]
    private(set) var entries: [Int64: StoredEntry] = [:]
    private var retains: [Int64: [OwnerID: Int]] = [:]
    /// The nodes of each entry.
    private(set) var nodes: [Int64: Set<Int64>] = [:]
    private var latest: Int64 = 0

    /// The entries in the order of their numbers.
    var ordered: [StoredEntry] { entries.values.sorted { $0.number < $1.number }.map(counted) }

    /// The pools that were ever changed or have entries, by name.
    var all: [CacheSettings] {
        let names = Set(settings.keys).union(entries.values.map(\.pool))
        return names.sorted().map { settings[$0] ?? CacheSettings($0) }
    }

    func entry(_ number: Int64) -> StoredEntry? { entries[number].map(counted) }

    func entry(_ name: String, in pool: String) -> StoredEntry? {
        entries.values.first { $0.name == name && $0.pool == pool }.map(counted)
    }

    private func counted(_ entry: StoredEntry) -> StoredEntry {
        var entry = entry
        entry.retains = retains[entry.number]?.values.reduce(0, +) ?? 0
        entry.hasNodes = nodes[entry.number] != nil
        return entry
    }

    func size(of pool: String) -> CacheSize {
        var size = CacheSize()
        for entry in entries.values where entry.pool == pool && !entry.isLeaving && entry.content != .expected
        {
            size.add(entry.mode, count: 1, bytes: entry.bytes)
        }
        return size
    }

    mutating func put(_ entry: StoredEntry) {
        var entry = entry
        if entry.number == 0 {
            latest += 1
            entry.number = latest
        }
        entries[entry.number] = entry
    }

    mutating func delete(_ number: Int64) {
        entries[number] = nil
        retains[number] = nil
        forgetNodes(of: number)
    }

    mutating func put(node: Int64, of number: Int64) { nodes[number, default: []].insert(node) }

    mutating func forgetNodes(of number: Int64) { nodes[number] = nil }

    mutating func forgetEntries(ofNode node: Int64) {
        nodes = nodes.mapValues { $0.subtracting([node]) }.filter { !$0.value.isEmpty }
    }

    mutating func addRetains(_ count: Int, to number: Int64, of owner: OwnerID) {
        let sum = max(0, (retains[number]?[owner] ?? 0) + count)
        retains[number, default: [:]][owner] = sum == 0 ? nil : sum
    }

    func retained(by owner: OwnerID) -> [Int64] {
        retains.filter { $0.value[owner] != nil }.keys.sorted()
    }

    mutating func freeRetains(of owner: OwnerID) {
        for number in retains.keys { retains[number]?[owner] = nil }
    }
}

/// The pools of a memory store while one write runs.
struct MemoryCacheRows: CacheRows {
    private let store: MemoryRows

    /// Creates rows over those of a store.
    init(_ store: MemoryRows) { self.store = store }

    private var image: MemoryPools { store.image.pools }

    func pools() -> [CacheSettings] { image.all }

    func pool(named name: String) -> CacheSettings { image.settings[name] ?? CacheSettings(name) }

    func put(_ settings: CacheSettings) {
        store.image.changePools { $0.settings[settings.pool] = settings }
    }

    func entry(_ name: String, in pool: String) -> StoredEntry? { image.entry(name, in: pool) }

    func entry(_ number: Int64) -> StoredEntry? { image.entry(number) }

    func hasEntries(_ pool: String) -> Bool { image.entries.values.contains { $0.pool == pool } }

    func expected(in pool: String) -> [StoredEntry] {
        image.ordered.filter { $0.pool == pool && ($0.transfer != nil || $0.content == .expected) }
    }

    func awaiting(_ transfer: TransferID) -> [StoredEntry] {
        image.ordered.filter { $0.awaited?.transfer == transfer }
    }

    func cachedBytes(of pool: String, eachUpTo largest: Int64) -> Int64 {
        image.entries.values.filter {
            $0.pool == pool && $0.mode == .cached && $0.content != .expected && !$0.isLeaving
                && $0.bytes <= largest
        }.reduce(0) { $0 + $1.bytes }
    }

    func put(_ entry: StoredEntry) { store.image.changePools { $0.put(entry) } }

    func deleteEntry(_ number: Int64) { store.image.changePools { $0.delete(number) } }

    func entries(ofNode node: Int64) -> [StoredEntry] {
        image.ordered.filter { image.nodes[$0.number]?.contains(node) == true }
    }

    func put(node: Int64, of number: Int64) {
        store.image.changePools { $0.put(node: node, of: number) }
    }

    func forgetNodes(of number: Int64) { store.image.changePools { $0.forgetNodes(of: number) } }

    func forgetEntries(ofNode node: Int64) { store.image.changePools { $0.forgetEntries(ofNode: node) } }

    func evictable(
        in pool: String,
        besides number: Int64,
        above bytes: Int64?,
        upTo limit: Int
    ) -> [StoredEntry] {
        let all = image.ordered.filter {
            $0.pool == pool && $0.number != number && $0.mayBeEvicted && $0.bytes > bytes ?? -1
        }
        return Array(all.sorted { ($0.used, $0.number) < ($1.used, $1.number) }.prefix(limit))
    }

    func limitUse(in pool: String, to now: Instant) {
        for var entry in image.ordered where entry.pool == pool && entry.used > now {
            entry.used = now
            put(entry)
        }
    }

    func addRetains(_ count: Int, to number: Int64, of owner: OwnerID) {
        store.image.changePools { $0.addRetains(count, to: number, of: owner) }
    }

    func retained(by owner: OwnerID) -> [Int64] { image.retained(by: owner) }

    func freeRetains(of owner: OwnerID) { store.image.changePools { $0.freeRetains(of: owner) } }
}

/// The pools.
extension MemoryTransferStore {
    /// The pools that were ever changed or have entries, by name.
    package func pools() async throws(StoreError) -> [CacheSettings] {
        try read { $0.pools.all }
    }

    /// The settings of a pool.
    package func pool(named name: String) async throws(StoreError) -> CacheSettings {
        try read { $0.pools.settings[name] ?? CacheSettings(name) }
    }

    /// Changes the settings of a pool.
    package func edit(pool name: String, _ edit: CacheEdit) async throws(StoreError) -> CacheSettings {
        try write(.power) { try $0.cache.edit(name, edit) }
    }

    /// An entry by the name of its file.
    package func entry(_ name: String, in pool: String) async throws(StoreError) -> StoredEntry? {
        try read { $0.pools.entry(name, in: pool) }
    }

    /// Entries in the order of their numbers.
    package func entries(
        _ filter: EntryFilter,
        after number: Int64,
        limit: Int
    ) async throws(StoreError) -> [StoredEntry] {
        try read { image in
            let found = image.pools.ordered.filter { entry in
                entry.number > number && filter.pool.map { $0 == entry.pool } ?? true
                    && (!filter.isDeletable || entry.mayBeDeleted)
                    && filter.inode.map { $0 == entry.version?.identity.inode } ?? true
            }
            return Array(found.prefix(limit))
        }
    }

    /// The size of a pool.
    package func size(ofPool name: String) async throws(StoreError) -> CacheSize {
        try read { $0.pools.size(of: name) }
    }

    /// Notes that an owner puts the file of an entry into a pool.
    package func beginImport(
        _ entry: StoredEntry,
        by owner: OwnerID
    ) async throws(StoreError) -> StoredEntry {
        try write(.process) { try $0.beginImport(entry, by: owner) }
    }

    /// Changes entries by their numbers.
    package func change(
        _ numbers: [Int64],
        _ change: EntryChange,
        at now: Instant
    ) async throws(StoreError) -> [StoredEntry] {
        try write(change.durability) { try $0.change(numbers, change, at: now) }
    }

    /// Notes the deletion of what a pool has no room for.
    package func evict(
        fromPool name: String,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> Int {
        try write(.process) { try $0.cache.evict(from: name, upTo: limit, at: now) }
    }

    /// Forgets that downloads that have ended will bring entries.
    package func settleExpected(inPool name: String) async throws(StoreError) {
        try write(.process) { rows in
            try rows.cache.settleExpected(in: name) { rows.stateName(of: $0) }
        }
    }
}
