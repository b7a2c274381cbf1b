internal import FerryCore
internal import Synchronization

/// An open part file of a disk in memory.
final class MemoryPartFile: PartFile {
    private struct State {
        var isClosed = false
        var isNamed: Bool
        /// Bytes were written that no sync has covered, perhaps by a process that is dead.
        var isDirty = true
        var hasFailedToSynchronize = false
        /// The name may not be durable yet: the process that created the file may have died before that.
        var needsDirectorySync = true
    }

    let identity: FileIdentity

    private let fileSystem: MemoryPartFileSystem
    private let opening: Int
    private let epoch: Int
    private let directory: String
    private let name: FileName
    /// Taken only while the disk's lock is held, so the lock order is fixed.
    private let state: Mutex<State>

    init(
        _ fileSystem: MemoryPartFileSystem,
        inode: UInt64,
        opening: Int,
        epoch: Int,
        directory: String,
        name: FileName,
        isNamed: Bool
    ) {
        self.fileSystem = fileSystem
        self.opening = opening
        self.epoch = epoch
        self.directory = directory
        self.name = name
        let device = fileSystem.disk.withLock { $0.directories[directory]?.device }
        identity = FileIdentity(device: device ?? MemoryDisk.device, inode: inode)
        state = Mutex(State(isNamed: isNamed))
    }

    var isNamed: Bool { state.withLock { $0.isNamed } }

    private var path: String { FilePlace(directory: directory, name: name).path }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        let bytes = bytes.withUnsafeBytes { Array($0) }
        try fileSystem.disk.withLock { (disk) throws(StorageProblem) in
            try check(disk)
            let fault = disk.fault(for: .write)
            let count =
                switch fault?.effect {
                case nil, .whole: bytes.count
                case .half: bytes.count / 2
                case .some(.none): 0
                }
            let needed = disk.nodes[identity.inode]?.live.growth(writing: count, at: offset) ?? 0
            guard needed <= disk.free else {
                throw MemoryProblem.full(path, needed: Int64(bytes.count))
            }
            disk.nodes[identity.inode]?.live.write(bytes.prefix(count), at: offset)
            disk.nodes[identity.inode]?.changes += 1
            state.withLock { $0.isDirty = true }
            if let fault { throw fault.problem }
        }
    }

    func write(whole bytes: [UInt8]) async throws(StorageProblem) {
        try write(bytes.span.bytes, at: 0)
        try await synchronize()
    }

    func takeName() async throws(StorageProblem) {
        try step(.takeName) { (disk) throws(StorageProblem) in
            let live = try disk.directory(directory)
            if let present = disk.entry(name, in: live) {
                if present.identity == identity { return state.withLock { $0.isNamed = true } }
                let isHeld = disk.nodes[present.identity.inode]?.holder != nil
                throw isHeld ? MemoryProblem.lockedPart(path) : MemoryProblem.foreignPart(path)
            }
            disk.directories[directory]?.change(.set(name, identity.inode))
            state.withLock { $0.isNamed = true }
        }
    }

    func reserve(_ length: Int64) async throws(StorageProblem) {
        try step(.reserve) { (disk) throws(StorageProblem) in
            let allocated = disk.nodes[identity.inode]?.live.allocated ?? 0
            guard length - allocated <= disk.free else {
                throw MemoryProblem.full(path, needed: length - allocated)
            }
        }
    }

    func cut(behind length: Int64) async throws(StorageProblem) {
        try step(.truncate) { (disk) throws(StorageProblem) in
            let present = disk.nodes[identity.inode]?.live.length ?? 0
            guard present >= length else { throw MemoryProblem.shortPart(path) }
            if present > length {
                disk.nodes[identity.inode]?.live.truncate(to: length)
                disk.nodes[identity.inode]?.changes += 1
            }
            state.withLock { $0.isDirty = true }
        }
    }

    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8] {
        try step(.read) { (disk) throws(StorageProblem) in
            disk.nodes[identity.inode]?.live.read(range) ?? []
        }
    }

    func digest(
        _ algorithm: Checksum.Algorithm,
        length: Int64
    ) async throws(StorageProblem) -> Checksum {
        try await digest(algorithm, of: 0..<length)
    }

    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum {
        let bytes = try step(.digest) { (disk) throws(StorageProblem) in
            let live = disk.nodes[identity.inode]?.live ?? SparseBytes()
            guard live.length >= range.upperBound else { throw MemoryProblem.shortPart(path) }
            return live.read(range)
        }
        return ReferenceDigest.digest(algorithm, of: bytes)
    }

    var isSynchronized: Bool {
        state.withLock { state in
            !state.isDirty && !state.hasFailedToSynchronize && !(state.isNamed && state.needsDirectorySync)
        }
    }

    func synchronize() async throws(StorageProblem) {
        try fileSystem.disk.withLock { (disk) throws(StorageProblem) in
            try check(disk)
            guard !state.withLock({ $0.hasFailedToSynchronize }) else {
                throw MemoryProblem.failedBefore(path)
            }
            if let fault = disk.fault(for: .synchronize) {
                state.withLock { $0.hasFailedToSynchronize = true }
                // Some of it may survive even then, but a simulated power loss decides that at random anyway.
                if fault.effect == .half, let durable = disk.nodes[identity.inode]?.durable {
                    disk.nodes[identity.inode]?.live = durable
                }
                throw fault.problem
            }
            guard var node = disk.nodes[identity.inode] else { return }
            node.durable = node.live
            disk.nodes[identity.inode] = node
            state.withLock { state in
                state.isDirty = false
                let hasName = state.isNamed && node.live.length >= fileSystem.threshold
                guard state.needsDirectorySync, hasName else { return }
                state.needsDirectorySync = false
                disk.directories[directory]?.synchronize()
            }
        }
    }

    func publish(
        as final: FileName,
        replacing: Bool,
        dated date: Instant?
    ) async throws(StorageProblem) -> Int64? {
        try fileSystem.disk.withLock { (disk) throws(StorageProblem) in
            try check(disk)
            guard state.withLock({ !$0.isDirty && !$0.hasFailedToSynchronize }) else {
                throw MemoryProblem.defect("\(path) was to be published before all of it was synced (I1).")
            }
            let fault = disk.fault(for: .publish)
            if let fault, fault.effect == .none { throw fault.problem }
            if let date { disk.nodes[identity.inode]?.date = date.milliseconds * 1_000_000 }
            let live = try disk.directory(directory)
            let present = isNamed ? disk.entry(name, in: live) : nil
            let target = disk.entry(final, in: live)
            let finalPath = FilePlace(directory: directory, name: final).path
            if target?.identity != identity, !isNamed {
                guard target == nil else { throw MemoryProblem.taken(finalPath) }
                disk.directories[directory]?.change(.set(final, identity.inode))
            } else if target?.identity != identity {
                guard let present else { throw MemoryProblem.absentPart(path) }
                guard present.identity == identity else { throw MemoryProblem.replacedPart(path) }
                if let target, !replacing || target.kind != .file { throw MemoryProblem.taken(finalPath) }
                if let target, disk.nodes[target.identity.inode]?.holder != nil {
                    throw MemoryProblem.lockedPart(finalPath)
                }
                disk.directories[directory]?.change(.rename(name, final))
            } else if present?.identity == identity {
                disk.directories[directory]?.change(.remove(name))
            }
            if let fault, fault.effect == .half { throw fault.problem }
            disk.directories[directory]?.synchronize()
            disk.removeNameless()
            if let fault { throw fault.problem }
            close(on: &disk)
            return disk.nodes[identity.inode]?.modified
        }
    }

    func close() async {
        fileSystem.disk.withLock { close(on: &$0) }
    }

    deinit {
        fileSystem.disk.withLock { close(on: &$0) }
    }

    private func close(on disk: inout MemoryDisk) {
        let wasClosed = state.withLock { state in
            defer { state.isClosed = true }
            return state.isClosed
        }
        guard !wasClosed, disk.epoch == epoch, disk.nodes[identity.inode]?.holder == opening else { return }
        disk.nodes[identity.inode]?.holder = nil
        disk.removeNameless()
    }

    private func step<Value>(
        _ operation: FileFault.Operation,
        _ body: (inout MemoryDisk) throws(StorageProblem) -> sending Value
    ) throws(StorageProblem) -> sending Value {
        try fileSystem.carryOut(operation) { (disk) throws(StorageProblem) in
            try check(disk)
            return try body(&disk)
        }
    }

    private func check(_ disk: MemoryDisk) throws(StorageProblem) {
        guard disk.epoch == epoch else {
            throw MemoryProblem.defect("\(path) was opened by a process that is dead.")
        }
        guard !state.withLock({ $0.isClosed }) else {
            throw MemoryProblem.defect("\(path) was used after it was closed.")
        }
    }
}
