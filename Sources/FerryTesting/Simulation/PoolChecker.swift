import FerryCore
internal import Synchronization

/// Checks a pool: nothing in use is deleted, no entry goes before its file, and only whole files have names in it.
final class PoolChecker: Sendable {
    private struct State {
        /// The entries at the last check, by their numbers.
        var former: [Int64: StoredEntry] = [:]
        /// The entries that someone removes.
        var unwanted: Set<Int64> = []
        /// The entries to be deleted that no one retained at some time since. Who puts a new file into one retains it again, which
        /// does not protect the former file.
        var free: Set<Int64> = []
        /// The entries that someone has pinned, and that are pinned still.
        var pinned: Set<Int64> = []
    }

    private let origin: SimulatedOrigin
    private let files: MemoryPartFileSystem
    private let trace: SimulationTrace
    private let pool: SimulationScenario.Pool?
    private let state = Mutex(State())

    init(
        origin: SimulatedOrigin,
        files: MemoryPartFileSystem,
        trace: SimulationTrace,
        pool: SimulationScenario.Pool?
    ) {
        (self.origin, self.files, self.trace, self.pool) = (origin, files, trace, pool)
    }

    /// Records that someone removes entries.
    func unwanted(_ numbers: [Int64]) { state.withLock { $0.unwanted.formUnion(numbers) } }

    /// Records that someone was told that entries are pinned.
    func pinned(_ entries: [StoredEntry]) {
        state.withLock { $0.pinned.formUnion(entries.lazy.filter(Self.isPinned).map(\.number)) }
    }

    private static func isPinned(_ entry: StoredEntry) -> Bool {
        entry.mode == .persistent && !entry.isLeaving
    }

    // MARK: Rows

    /// Checks the entries after every write.
    func check(_ image: StoreImage) {
        guard pool != nil else { return }
        let entries = Dictionary(uniqueKeysWithValues: image.pools.ordered.map { ($0.number, $0) })
        let (former, unwanted) = state.withLock { state in
            defer { state.former = entries }
            state.free.formIntersection(entries.values.filter(\.isLeaving).map(\.number))
            state.free.formUnion(entries.values.filter(\.mayBeDeleted).map(\.number))
            state.pinned.formIntersection(entries.values.filter(Self.isPinned).map(\.number))
            return (state.former, state.unwanted)
        }
        for (number, entry) in former.sorted(by: { $0.key < $1.key }) {
            guard let now = entries[number] else {
                checkForgotten(entry)
                continue
            }
            guard now.isLeaving, !entry.isLeaving else { continue }
            if unwanted.contains(number) { continue }
            trace.count(.entryEvicted, number)
            // A release and what it evicts are one write.
            if entry.mode != .cached || now.retains > 0 || entry.transfer != nil {
                trace.complain("pools: entry \(number) is evicted: \(entry)")
            }
        }
    }

    /// Checks that a forgotten entry leaves no file.
    private func checkForgotten(_ entry: StoredEntry) {
        let files = [entry.version, entry.coming].compactMap { $0?.identity.inode }
        guard let inode = inode(of: entry.name), files.contains(inode) else { return }
        trace.complain("pools: entry \(entry.number) is forgotten, and its file stays")
    }

    /// Takes the entries over as they are after a power loss. What was pinned still is, and has its file.
    func lostPower(_ image: StoreImage) {
        guard pool != nil else { return }
        let entries = image.pools.ordered
        let lost = state.withLock { state in
            let pinned = Set(entries.lazy.filter(Self.isPinned).map(\.number))
            defer { state.pinned.formIntersection(pinned) }
            return state.pinned.subtracting(pinned)
        }
        for number in lost.sorted() {
            trace.complain("I3: the pin of entry \(number) is lost with the power")
        }
        state.withLock { state in
            state.former = Dictionary(uniqueKeysWithValues: entries.map { ($0.number, $0) })
            state.unwanted.formIntersection(entries.filter(\.isLeaving).map(\.number))
            state.free = Set(entries.filter(\.mayBeDeleted).map(\.number))
        }
        for entry in entries where entry.mode == .persistent { checkFile(of: entry) }
    }

    private func checkFile(of entry: StoredEntry) {
        guard let version = entry.version, !entry.isLeaving, entry.transfer == nil else { return }
        let inode = inode(of: entry.name)
        if inode != version.identity.inode, inode == nil || inode != entry.coming?.identity.inode {
            trace.complain("pools: the file of entry \(entry.number), which is \(entry.mode), is gone")
        }
    }

    // MARK: Files

    private func inode(of name: String) -> UInt64? {
        guard let pool else { return nil }
        return files.disk.withLock { disk in
            disk.directories[pool.directory]?.live.first { $0.key.rawValue == name }?.value
        }
    }

    /// Checks a file that is about to be deleted: no one uses it.
    func willDelete(_ place: FilePlace, _ identity: FileIdentity, _ image: StoreImage) {
        guard place.directory == pool?.directory else { return }
        for entry in image.pools.ordered where entry.name == place.part.rawValue {
            guard let version = entry.version, version.identity.isSameFile(as: identity) else { continue }
            guard state.withLock({ $0.free.contains(entry.number) }) else {
                trace.complain("pools: the file of entry \(entry.number) is deleted: \(entry)")
                continue
            }
            trace.count(.entryDeleted, entry.number)
        }
    }

    /// Checks that each file with a name is a whole version of a resource.
    func checkNames() {
        guard let pool, let directory = files.disk.withLock({ $0.directories[pool.directory] }) else {
            return
        }
        for name in directory.live.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where !name.rawValue.hasSuffix(".part") {
            let bytes = files.contents(of: name, in: pool.directory) ?? []
            if !origin.isVersion(bytes, of: nil) {
                trace.complain("I1: \(name) in the pool has \(bytes.count) bytes that are no whole version")
            }
        }
    }

    // MARK: The end

    /// Checks at the end, after a trim: the limit is kept, each entry has its file, and each file its entry.
    func checkEnd(_ image: StoreImage) {
        guard let pool else { return }
        let entries = image.pools.ordered
        let settings = image.pools.settings[pool.settings.pool] ?? pool.settings
        for entry in entries {
            if entry.isLeaving, entry.transfer == nil, entry.retains == 0 {
                trace.complain("liveness: entry \(entry.number) is to be deleted for good")
            }
            checkFile(of: entry)
        }
        if let limit = settings.maxBytes {
            let evictable = entries.filter(\.mayBeEvicted)
            let size = entries.filter {
                $0.mode == .cached && !$0.isLeaving && !settings.isTooLarge($0.bytes)
            }.reduce(0) { $0 + $1.bytes }
            if size > limit && evictable.contains(where: { $0.bytes > 0 })
                || evictable.contains(where: { settings.isTooLarge($0.bytes) })
            {
                trace.complain("pools: after a trim there are \(size) bytes; \(limit) are allowed")
            }
        }
        // In a directory that was chosen for the pool, only files of transfers that are still known count as Ferry's.
        guard settings.directory == nil else { return }
        let names = Set(entries.map(\.name))
        let found = files.disk.withLock { $0.directories[pool.directory]?.live.keys.map(\.rawValue) ?? [] }
        for name in found.sorted() where !name.hasSuffix(".part") && !names.contains(name) {
            trace.complain("pools: \(name) has no entry")
        }
    }
}
