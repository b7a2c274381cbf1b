internal import FerryCore

/// The state of a disk in memory: the data that a program sees, and the data that is left after a power loss.
struct MemoryDisk: Sendable {
    /// A file, or something else with a name.
    struct Node: Sendable {
        var kind: FileSurvey.Kind
        /// The bytes that a program reads.
        var live = SparseBytes()
        /// The bytes that certainly survive a power loss.
        var durable = SparseBytes()
        /// How often its bytes have changed. A change takes the given time away.
        var changes: Int64 = 0 {
            didSet { date = nil }
        }
        /// The modification time that it was given, in nanoseconds since 1970.
        var date: Int64?
        /// The number of the opening that holds the lock.
        var holder: Int?

        /// When its bytes were last changed, in nanoseconds since 1970, or by its own count.
        var modified: Int64 { date ?? changes }
    }

    /// A change of names that a power loss may undo.
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
        /// The changes since the last sync of the directory, in order.
        var pending: [NameChange] = []
        /// The device that it is on.
        var device = MemoryDisk.device
        /// When it was last changed; `nil` if that is unknown.
        var modified: Int64?

        mutating func change(_ change: NameChange) {
            change.apply(to: &live)
            pending.append(change)
        }

        mutating func synchronize() {
            durable = live
            pending = []
        }

        /// Drops changes as a journaling file system would: a prefix of them survives, in order.
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
    /// The directories whose disk is not mounted, by the paths at which they were.
    var unmounted: [String: Directory] = [:]
    /// The directories that are mount points while they are not in ``unmounted``.
    var mountPoints: Set<String> = []
    var nodes: [UInt64: Node] = [:]
    var streams: [String: [UInt8]] = [:]
    var capacity: Int64?
    /// Whether it takes no change.
    var isReadOnly = false
    /// A number that grows when the machine or the process dies: earlier openings can no longer be used.
    var epoch = 0
    private(set) var latestInode: UInt64 = 1
    private(set) var latestOpening = 0
    private var calls: [FileFault.Operation: Int] = [:]
    private var faults: [(fault: FileFault, due: Int)] = []

    /// The survey entry of a name.
    func entry(_ name: FileName, in directory: Directory) -> FileSurvey.Entry? {
        guard let inode = directory.live[name], let node = nodes[inode] else { return nil }
        return FileSurvey.Entry(
            identity: FileIdentity(device: directory.device, inode: inode),
            length: node.kind == .file ? node.live.length : 0,
            kind: node.kind,
            modified: node.modified
        )
    }

    /// The number of a node's names.
    func links(of inode: UInt64) -> Int {
        directories.values.reduce(0) { $0 + $1.live.values.count { $0 == inode } }
    }

    /// The number of bytes that may still be written.
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

    /// Unlocks the file that the latest opening holds.
    mutating func releaseLatestOpening() {
        for (inode, node) in nodes where node.holder == latestOpening { nodes[inode]?.holder = nil }
    }

    /// Orders a failure.
    mutating func order(_ fault: FileFault) {
        faults.append((fault, calls[fault.operation, default: 0] + fault.call))
    }

    /// Counts a call, and returns the failure that was ordered for it.
    mutating func fault(for operation: FileFault.Operation) -> FileFault? {
        calls[operation, default: 0] += 1
        let count = calls[operation, default: 0]
        guard let index = faults.firstIndex(where: { $0.fault.operation == operation && $0.due == count })
        else { return nil }
        return faults.remove(at: index).fault
    }

    /// How often an operation was called.
    func count(of operation: FileFault.Operation) -> Int { calls[operation, default: 0] }

    /// Ends the process: its writes survive, and its locks are free.
    mutating func endProcess() {
        epoch += 1
        for inode in nodes.keys { nodes[inode]?.holder = nil }
        removeNameless()
    }

    /// Cuts the power: a random part of the unsynced data survives.
    mutating func losePower(using random: inout SeededRandom) {
        epoch += 1
        // In a fixed order, so that the same seed gives the same disk.
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

    /// Frees nodes that have no name and are not open.
    mutating func removeNameless() {
        var named: Set<UInt64> = []
        for directory in Array(directories.values) + Array(unmounted.values) {
            named.formUnion(directory.live.values)
            named.formUnion(directory.durable.values)
            for case .set(_, let inode) in directory.pending { named.insert(inode) }
        }
        nodes = nodes.filter { named.contains($0.key) || $0.value.holder != nil }
    }
}
