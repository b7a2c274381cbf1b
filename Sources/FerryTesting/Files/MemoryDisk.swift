internal import FerryCore

/// The state of a disk in memory: what a program sees, and what would be left after a power cut.
struct MemoryDisk: Sendable {
    /// A file, or something else that has a name.
    struct Node: Sendable {
        var kind: FileSurvey.Kind
        /// What a program reads.
        var live = SparseBytes()
        /// What is certain to be there after a power cut.
        var durable = SparseBytes()
        /// How often its bytes were changed.
        var changes: Int64 = 0
        /// The number of the opening that holds the lock.
        var holder: Int?
    }

    /// A change of names that a power cut may take back.
    enum NameChange: Sendable {
        case set(FileName, UInt64)
        case rename(FileName, FileName)
        case remove(FileName)

        func apply(to names: inout [FileName: UInt64]) {
            switch self {
            case .set(let name, let inode): names[name] = inode
            case .rename(let old, let new): names[new] = names.removeValue(forKey: old)
            case .remove(let name): names[name] = nil
            }
        }
    }

    /// A directory.
    struct Directory: Sendable {
        var live: [FileName: UInt64] = [:]
        var durable: [FileName: UInt64] = [:]
        /// What was done since the directory was last synced, in order.
        var pending: [NameChange] = []

        mutating func change(_ change: NameChange) {
            change.apply(to: &live)
            pending.append(change)
        }

        mutating func synchronize() {
            durable = live
            pending = []
        }

        /// A file system with a journal keeps changes of names in order: some first ones of them are left.
        mutating func losePower(using random: inout SeededRandom) {
            for change in pending.prefix(.random(in: 0...pending.count, using: &random)) {
                change.apply(to: &durable)
            }
            live = durable
            pending = []
        }
    }

    static let device: UInt64 = 1

    var directories: [String: Directory] = [:]
    var nodes: [UInt64: Node] = [:]
    var streams: [String: [UInt8]] = [:]
    var capacity: Int64?
    /// Grows when the machine or the process dies: openings of an earlier one are of no more use.
    var epoch = 0
    private(set) var latestInode: UInt64 = 1
    private(set) var latestOpening = 0
    private var calls: [FileFault.Operation: Int] = [:]
    private var faults: [(fault: FileFault, due: Int)] = []

    /// What has a name.
    func entry(_ name: FileName, in directory: Directory) -> FileSurvey.Entry? {
        guard let inode = directory.live[name], let node = nodes[inode] else { return nil }
        return FileSurvey.Entry(
            identity: FileIdentity(device: Self.device, inode: inode),
            length: node.kind == .file ? node.live.length : 0,
            kind: node.kind,
            modified: node.changes
        )
    }

    /// How many names a node has.
    func links(of inode: UInt64) -> Int {
        directories.values.reduce(0) { $0 + $1.live.values.count { $0 == inode } }
    }

    /// How many bytes may still be written.
    var free: Int64 {
        guard let capacity else { return 1 << 50 }
        return max(0, capacity - nodes.values.reduce(0) { $0 + $1.live.allocated })
    }

    /// A number for a new node.
    mutating func newInode() -> UInt64 {
        latestInode += 1
        return latestInode
    }

    /// A number for a new opening.
    mutating func newOpening() -> Int {
        latestOpening += 1
        return latestOpening
    }

    /// Unlocks what the latest opening holds.
    mutating func releaseLatestOpening() {
        for (inode, node) in nodes where node.holder == latestOpening { nodes[inode]?.holder = nil }
    }

    /// Orders a failure.
    mutating func order(_ fault: FileFault) {
        faults.append((fault, calls[fault.operation, default: 0] + fault.call))
    }

    /// Counts a call, and gives the failure that was ordered for it.
    mutating func fault(for operation: FileFault.Operation) -> FileFault? {
        calls[operation, default: 0] += 1
        let count = calls[operation, default: 0]
        guard let index = faults.firstIndex(where: { $0.fault.operation == operation && $0.due == count })
        else { return nil }
        return faults.remove(at: index).fault
    }

    /// How often an operation was called.
    func count(of operation: FileFault.Operation) -> Int { calls[operation, default: 0] }

    /// The process dies: what it wrote is still there, and its locks are free.
    mutating func endProcess() {
        epoch += 1
        for inode in nodes.keys { nodes[inode]?.holder = nil }
        removeNameless()
    }

    /// The machine dies: of what was not synced some is left and some is not.
    mutating func losePower(using random: inout SeededRandom) {
        epoch += 1
        // In a fixed order, or the same seed would not give the same disk.
        for path in directories.keys.sorted() { directories[path]?.losePower(using: &random) }
        for inode in nodes.keys.sorted() {
            guard var node = nodes[inode] else { continue }
            node.live = node.durable.mixed(with: node.live, using: &random)
            node.durable = node.live
            node.holder = nil
            nodes[inode] = node
        }
        removeNameless()
    }

    /// Frees what has no name left and is not open.
    mutating func removeNameless() {
        var named: Set<UInt64> = []
        for directory in directories.values {
            named.formUnion(directory.live.values)
            named.formUnion(directory.durable.values)
            for case .set(_, let inode) in directory.pending { named.insert(inode) }
        }
        nodes = nodes.filter { named.contains($0.key) || $0.value.holder != nil }
    }
}
