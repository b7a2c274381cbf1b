import FerryCore
import GRDB

/// The pools, in the tables `pool`, `entry`, `retain` and `node_entry`.
struct StoredPools {
    private let db: Database
    private let codec: RowCodec
    private let ties: TransferTies?

    /// - Parameter ties: what the transaction knows of entries that wait for transfers; `nil` outside of a write.
    init(_ db: Database, codec: RowCodec, ties: TransferTies? = nil) {
        (self.db, self.codec, self.ties) = (db, codec, ties)
    }

    // MARK: Reading

    /// Entries in the order of their numbers.
    func entries(_ filter: EntryFilter, after number: Int64, limit: Int) throws -> [StoredEntry] {
        var sql = Self.columns + " WHERE entry.id > ?"
        if filter.pool != nil { sql += " AND pool = ?" }
        if filter.isDeletable { sql += Self.deletable }
        if filter.inode != nil { sql += " AND inode = ?" }
        return try entries(sql + " ORDER BY entry.id LIMIT ?") { values in
            values.add(number)
            if let pool = filter.pool { values.add(pool) }
            if let inode = filter.inode { values.add(Int64(bitPattern: inode)) }
            values.add(limit)
        }
    }

    private func entries(
        _ sql: String,
        _ bind: (inout StatementBinder) throws -> Void
    ) throws -> [StoredEntry] {
        var entries: [StoredEntry] = []
        try BareStatement(sql, on: db).forEach(of: EntryColumn.self, bind, codec: codec) {
            entries.append(try Self.entry($0))
        }
        return entries
    }

    private static func entry(_ row: ColumnReader<EntryColumn>) throws -> StoredEntry {
        let content: StoredEntry.Content
        switch try row.text(.content) {
        case "expected": content = .expected
        case "absent": content = .absent
        case "file": content = .file(try row.json(.version, SavedVersion.self))
        case let text: throw RowDamage("its content is \"\(text)\"")
        }
        var entry = StoredEntry(
            number: try row.integer(.id),
            pool: try row.text(.pool),
            name: try row.text(.name),
            label: try row.text(.label),
            kind: try row.optionalText(.kind),
            mode: try row.named(.mode, "mode", CacheMode.init(rawValue:)),
            expiry: CacheExpiry(number: try row.integer(.expiry)),
            used: Instant(milliseconds: try row.integer(.used)),
            checked: Instant(milliseconds: try row.integer(.checked)),
            content: content
        )
        entry.isLeaving = try row.integer(.isLeaving) != 0
        entry.transfer = try row.optionalInteger(.transfer).map { TransferID(rawValue: $0) }
        entry.retains = Int(clamping: try row.integer(.retains))
        if let awaited = try row.optionalInteger(.awaited) {
            let fate = try row.named(.fate, "fate", CacheFate.init(rawValue:))
            entry.awaited = StoredEntry.Awaited(TransferID(rawValue: awaited), fate)
        }
        entry.coming = try row.optionalJSON(.coming, SavedVersion.self)
        entry.hasNodes = try row.integer(.hasNodes) != 0
        return entry
    }

    private static let names = "SELECT name FROM pool UNION SELECT pool FROM entry ORDER BY 1"

    /// The columns of an entry, in the order in which ``columns`` selects them.
    private enum EntryColumn: Int, StoredColumn {
        case id, pool, name, label, kind, mode, expiry, used, checked, content, isLeaving, transfer, version
        case retains, awaited, fate
        case coming, hasNodes

        var position: Int { rawValue }
    }

    private static let columns = """
        SELECT id, pool, name, label, kind, mode, expiry, used, checked, content, is_leaving, transfer, version,
            (SELECT ifnull(sum(count), 0) FROM retain WHERE retain.entry = entry.id), awaited, fate,
            coming, EXISTS (SELECT 1 FROM node_entry WHERE node_entry.entry = entry.id)
        FROM entry
        """

    private static let waiting = columns + " WHERE awaited = ?"

    private static let unretained = "NOT EXISTS (SELECT 1 FROM retain WHERE retain.entry = entry.id)"

    private static let deletable = " AND is_leaving = 1 AND transfer IS NULL AND " + unretained

    private static let mayBeEvicted =
        "mode = 'cached' AND content <> 'expected' AND is_leaving = 0 AND transfer IS NULL"
}

extension StoredPools: CacheRows {
    func pools() throws -> [CacheSettings] {
        var pools: [CacheSettings] = []
        try BareStatement(Self.names, on: db).forEach({ _ in }, codec: codec) { row in
            pools.append(CacheSettings(try row.text(0)))
        }
        return try pools.map { try pool(named: $0.pool) }
    }

    func pool(named name: String) throws -> CacheSettings {
        try BareStatement(Self.settings, on: db).first({ $0.add(name) }, codec: codec) { row in
            var settings = CacheSettings(name)
            settings.directory = try row.optionalText(0)
            settings.maxBytes = try row.optionalInteger(1)
            settings.maxAge = try row.optionalInteger(2).map { .milliseconds($0) }
            settings.freshFor = try row.optionalInteger(3).map { .milliseconds($0) }
            return settings
        } ?? CacheSettings(name)
    }

    func put(_ settings: CacheSettings) throws {
        try BareStatement(Self.setting, on: db).execute { values in
            values.add(settings.pool)
            values.add(settings.directory)
            values.add(settings.maxBytes)
            values.add(settings.maxAge?.wholeMilliseconds)
            values.add(settings.freshFor?.wholeMilliseconds)
        }
    }

    func entry(_ name: String, in pool: String) throws -> StoredEntry? {
        try entries(Self.columns + " WHERE pool = ? AND name = ?") { values in
            values.add(pool)
            values.add(name)
        }.first
    }

    func entry(_ number: Int64) throws -> StoredEntry? {
        try entries(Self.columns + " WHERE entry.id = ?") { $0.add(number) }.first
    }

    func hasEntries(_ pool: String) throws -> Bool {
        try BareStatement("SELECT 1 FROM entry WHERE pool = ? LIMIT 1", on: db).first(
            { $0.add(pool) },
            codec: codec
        ) { try $0.integer(0) } != nil
    }

    func expected(in pool: String) throws -> [StoredEntry] {
        try entries(
            Self.columns + " WHERE pool = ? AND (transfer IS NOT NULL OR content = 'expected')"
        ) { $0.add(pool) }
    }

    func awaiting(_ transfer: TransferID) throws -> [StoredEntry] {
        guard try ties?.mayBe(.entries) ?? true else { return [] }
        return try entries(Self.waiting) { $0.add(transfer.rawValue) }
    }

    func size(of pool: String) throws -> CacheSize {
        var size = CacheSize()
        try BareStatement(Self.sizes, on: db).forEach({ $0.add(pool) }, codec: codec) { row in
            let mode = try row.named(0, "mode", CacheMode.init(rawValue:))
            size.add(mode, count: Int(clamping: try row.integer(1)), bytes: try row.integer(2))
        }
        return size
    }

    func put(_ entry: StoredEntry) throws {
        try BareStatement(Self.putting, on: db).execute { values in
            values.add(entry.pool)
            values.add(entry.name)
            values.add(entry.label)
            values.add(entry.kind)
            values.add(entry.mode.rawValue)
            values.add(entry.expiry.number)
            values.add(entry.used.milliseconds)
            values.add(entry.checked.milliseconds)
            values.add(entry.content.word)
            values.add(entry.isLeaving)
            values.add(entry.transfer?.rawValue)
            values.add(entry.bytes)
            values.add(entry.version.map { Int64(bitPattern: $0.identity.inode) })
            values.add(try entry.version.map { try codec.texts.encodeJSON($0) })
            values.add(entry.awaited?.transfer.rawValue)
            values.add(entry.awaited?.fate.rawValue)
            values.add(try entry.coming.map { try codec.texts.encodeJSON($0) })
        }
        if entry.awaited != nil { ties?.note(.entries) }
    }

    func deleteEntry(_ number: Int64) throws {
        try forgetNodes(of: number)
        for sql in ["DELETE FROM retain WHERE entry = ?", "DELETE FROM entry WHERE id = ?"] {
            try BareStatement(sql, on: db).execute { $0.add(number) }
        }
    }

    func entries(ofNode node: Int64) throws -> [StoredEntry] {
        try entries(Self.columns + " WHERE id IN (SELECT entry FROM node_entry WHERE node = ?)") {
            $0.add(node)
        }
    }

    func put(node: Int64, of number: Int64) throws {
        try BareStatement("INSERT OR IGNORE INTO node_entry (node, entry) VALUES (?, ?)", on: db).execute {
            $0.add(node)
            $0.add(number)
        }
    }

    func forgetNodes(of number: Int64) throws {
        try BareStatement("DELETE FROM node_entry WHERE entry = ?", on: db).execute { $0.add(number) }
    }

    func forgetEntries(ofNode node: Int64) throws {
        try BareStatement("DELETE FROM node_entry WHERE node = ?", on: db).execute { $0.add(node) }
    }

    func cachedBytes(of pool: String, eachUpTo largest: Int64) throws -> Int64 {
        try BareStatement(Self.cachedBytes, on: db).first(
            {
                $0.add(pool)
                $0.add(largest)
            },
            codec: codec
        ) { try $0.integer(0) } ?? 0
    }

    func evictable(
        in pool: String,
        besides number: Int64,
        above bytes: Int64?,
        upTo limit: Int
    ) throws -> [StoredEntry] {
        var sql =
            Self.columns + " WHERE pool = ? AND id <> ? AND \(Self.mayBeEvicted) AND \(Self.unretained)"
        if bytes != nil { sql += " AND bytes > ?" }
        return try entries(sql + " ORDER BY used, id LIMIT ?") { values in
            values.add(pool)
            values.add(number)
            if let bytes { values.add(bytes) }
            values.add(limit)
        }
    }

    func limitUse(in pool: String, to now: Instant) throws {
        let sql = "UPDATE entry SET used = ? WHERE pool = ? AND \(Self.mayBeEvicted) AND used > ?"
        try BareStatement(sql, on: db).execute { values in
            values.add(now.milliseconds)
            values.add(pool)
            values.add(now.milliseconds)
        }
    }

    func addRetains(_ count: Int, to number: Int64, of owner: OwnerID) throws {
        try BareStatement(Self.retaining, on: db).execute { values in
            values.add(number)
            values.add(owner.rawValue)
            values.add(count)
        }
        try BareStatement("DELETE FROM retain WHERE entry = ? AND count <= 0", on: db).execute {
            $0.add(number)
        }
    }

    func retained(by owner: OwnerID) throws -> [Int64] {
        var numbers: [Int64] = []
        try BareStatement("SELECT entry FROM retain WHERE owner = ? ORDER BY entry", on: db).forEach(
            { $0.add(owner.rawValue) },
            codec: codec
        ) { numbers.append(try $0.integer(0)) }
        return numbers
    }

    func freeRetains(of owner: OwnerID) throws {
        try BareStatement("DELETE FROM retain WHERE owner = ?", on: db).execute { $0.add(owner.rawValue) }
    }

    private static let settings =
        "SELECT directory, max_bytes, max_age, fresh_for FROM pool WHERE name = ?"

    private static let setting = """
        INSERT OR REPLACE INTO pool (name, directory, max_bytes, max_age, fresh_for) VALUES (?, ?, ?, ?, ?)
        """

    private static let sizes = """
        SELECT mode, count(*), sum(bytes) FROM entry
        WHERE pool = ? AND content <> 'expected' AND is_leaving = 0 GROUP BY mode
        """

    private static let cachedBytes = """
        SELECT ifnull(sum(bytes), 0) FROM entry
        WHERE pool = ? AND mode = 'cached' AND content <> 'expected' AND is_leaving = 0 AND bytes <= ?
        """

    private static let putting = """
        INSERT INTO entry (pool, name, label, kind, mode, expiry, used, checked, content, is_leaving, transfer,
            bytes, inode, version, awaited, fate, coming)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (pool, name) DO UPDATE SET label = excluded.label, kind = excluded.kind, mode = excluded.mode,
            expiry = excluded.expiry, used = excluded.used, checked = excluded.checked, content = excluded.content,
            is_leaving = excluded.is_leaving, transfer = excluded.transfer, bytes = excluded.bytes,
            inode = excluded.inode, version = excluded.version, awaited = excluded.awaited, fate = excluded.fate,
            coming = excluded.coming
        """

    private static let retaining = """
        INSERT INTO retain (entry, owner, count) VALUES (?, ?, ?)
        ON CONFLICT (entry, owner) DO UPDATE SET count = count + excluded.count
        """
}

extension StoredEntry.Content {
    /// Its word in the store.
    fileprivate var word: String {
        switch self {
        case .expected: "expected"
        case .absent: "absent"
        case .file: "file"
        }
    }
}
