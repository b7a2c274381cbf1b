import FerryCore
internal import Synchronization

/// A part file that one process has open.
final class SimulatedPart: PartFile {
    private struct State {
        var base: (any PartFile)?
        var isFenced = false
    }

    let identity: FileIdentity
    private let files: SimulatedFiles
    private let state: Mutex<State>

    init(_ base: any PartFile, files: SimulatedFiles) {
        identity = base.identity
        self.files = files
        state = Mutex(State(base: base))
    }

    var isNamed: Bool { state.withLock { $0.base?.isNamed ?? false } }

    private var world: SimulatedWorld { files.world }
    private var number: Int64 { Int64(identity.inode) }

    /// Its holder has learned that it belongs to another owner now.
    func fence() { state.withLock { $0.isFenced = true } }

    /// The process is dead; dropping the last reference frees the lock.
    func abandon() { state.withLock { $0.base = nil } }

    private var base: any PartFile {
        get throws(StorageProblem) {
            guard let base = state.withLock({ $0.base }) else { throw SimulatedFiles.dead }
            return base
        }
    }

    /// The file, for changing it.
    private func changeable(_ operation: FileFault.Operation) throws(StorageProblem) -> any PartFile {
        let base = try base
        if state.withLock({ $0.isFenced }) {
            world.trace.complain(
                "I4: \(operation.rawValue) by an owner that was told that it is none any more"
            )
        }
        if operation != .publish { world.checker.willChange(identity, operation) }
        return base
    }

    func takeName() async throws(StorageProblem) {
        try await files.call(.takeName, number: number) { () throws(StorageProblem) in
            try await changeable(.takeName).takeName()
        }
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        guard files.process.isRunning else { throw SimulatedFiles.dead }
        let base = try changeable(.write)
        files.drawFault(.write)
        try base.write(bytes, at: offset)
        world.trace.note("write", number, offset + Int64(bytes.byteCount))
    }

    /// Others may act between the two, and the process may die there.
    func write(whole bytes: [UInt8]) async throws(StorageProblem) {
        try await files.call(.write, number: number) { () throws(StorageProblem) in
            try await changeable(.write).write(all: bytes, at: 0)
        }
        try await synchronize()
        world.trace.count(.writtenWhole, files.process.number)
    }

    func reserve(_ length: Int64) async throws(StorageProblem) {
        try await files.call(.reserve, number: number) { () throws(StorageProblem) in
            try await base.reserve(length)
        }
    }

    func cut(behind length: Int64) async throws(StorageProblem) {
        try await files.call(.truncate, number: number) { () throws(StorageProblem) in
            try await changeable(.truncate).cut(behind: length)
        }
    }

    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8] {
        try await files.call(.read, number: number) { () throws(StorageProblem) in
            try await base.read(range)
        }
    }

    func digest(_ algorithm: Checksum.Algorithm, length: Int64) async throws(StorageProblem) -> Checksum {
        try await files.call(.digest, number: number) { () throws(StorageProblem) in
            try await base.digest(algorithm, length: length)
        }
    }

    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum {
        try await files.call(.digest, number: number) { () throws(StorageProblem) in
            try await base.digest(algorithm, of: range)
        }
    }

    var isSynchronized: Bool { state.withLock { $0.base?.isSynchronized ?? false } }

    func synchronize() async throws(StorageProblem) {
        do throws(StorageProblem) {
            try await files.call(.synchronize, number: number) { () throws(StorageProblem) in
                let before = world.files.disk.withLock { $0.nodes[identity.inode]?.live }
                do throws(StorageProblem) {
                    try await base.synchronize()
                } catch {
                    if let before { spareTheHeirs(before) }
                    throw error
                }
            }
        } catch {
            files.process.heardOfLoss(of: identity.inode)
            throw error
        }
    }

    /// A sync failed, and the kernel has dropped bytes that the row claims as written. The owner withdraws
    /// the claim at once. Its death before that is outside the model, because no later process could know.
    private func spareTheHeirs(_ before: SparseBytes) {
        let (inode, files) = (identity.inode, world.files)
        self.files.process.lost(inode)
        self.files.process.atDeath(of: inode) {
            files.disk.withLock { disk in
                if disk.nodes[inode] != nil { disk.nodes[inode]?.live = before }
            }
        }
    }

    func publish(
        as name: FileName,
        replacing: Bool,
        dated date: Instant?
    ) async throws(StorageProblem) -> Int64? {
        try await files.call(.publish, number: number) { () throws(StorageProblem) in
            let modified = try await changeable(.publish).publish(
                as: name,
                replacing: replacing,
                dated: date
            )
            world.checker.published(identity)
            files.closed(self)
            return modified
        }
    }

    func close() async {
        files.closed(self)
        guard let base = state.withLock({ $0.base }) else { return }
        await base.close()
    }
}
