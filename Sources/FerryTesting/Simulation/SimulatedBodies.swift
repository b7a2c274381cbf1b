import FerryCore
internal import Synchronization

/// The files that requests carry, and the copies of bodies, as one process sees them.
final class SimulatedBodies: BodyFiles {
    let world: SimulatedWorld
    let process: SimulatedProcess
    /// The copies that this process has locked. Its death unlocks them.
    private let locked = Mutex<Set<TransferUUID>>([])

    init(world: SimulatedWorld, process: SimulatedProcess) {
        (self.world, self.process) = (world, process)
        process.atDeath { [weak self] in
            guard let self, releaseAll() else { return }
            world.trace.count(.copyLeft, process.number)
        }
    }

    func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        try await world.bodies.pin(path)
    }

    func survey(_ file: PinnedFile) async throws(Problem) -> PinnedFile {
        try await world.bodies.survey(file)
    }

    func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        await world.linger(process)
        guard process.isRunning else { throw .permanent(.internalFault, "The process is dead.") }
        let opened = try await world.bodies.open(body)
        await world.linger()
        return opened
    }

    // No simulated request has a digest.

    func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum] {
        try await world.bodies.digests(of: body, by: algorithms)
    }

    // MARK: Copies

    /// Runs a step of a copy: others may act first, and it may fail.
    fileprivate func step<Value>(
        _ effect: () async throws(StorageProblem) -> Value
    ) async throws(StorageProblem) -> Value {
        await world.linger(process)
        guard process.isRunning else { throw SimulatedFiles.dead }
        guard !world.dice.happens(world.rates.disk) else {
            world.trace.count(.copyFailed, process.number)
            throw StorageProblem(.transient(.storageFault, "As was drawn."), errno: 28)
        }
        let value = try await effect()
        await world.linger()
        guard process.isRunning else { throw SimulatedFiles.dead }
        return value
    }

    func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        let copy = try await step { () throws(StorageProblem) in
            let copy = try await world.bodies.copy(for: uuid)
            locked.withLock { _ = $0.insert(uuid) }
            return copy
        }
        return SimulatedCopy(base: copy, uuid: uuid, files: self)
    }

    func release(copiesFor uuids: [TransferUUID]) {
        let own = locked.withLock { locked in
            defer { locked.subtract(uuids) }
            return locked.intersection(uuids)
        }
        world.bodies.release(copiesFor: Array(own))
    }

    func releaseAll() -> Bool {
        let all = locked.withLock { Array($0) }
        release(copiesFor: all)
        return !all.isEmpty
    }

    func removeCopy(for uuid: TransferUUID) async throws(StorageProblem) {
        try await step { () throws(StorageProblem) in await world.bodies.removeCopy(for: uuid) }
        release(copiesFor: [uuid])
    }

    func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws {
        try await world.bodies.removeCopies { [process] uuid throws(StoreError) in
            let isWanted = try await isNeeded(uuid)
            return isWanted || !process.isRunning
        }
    }
}

/// A copy that a process makes.
private struct SimulatedCopy: BodyCopy {
    let base: any BodyCopy
    let uuid: TransferUUID
    let files: SimulatedBodies

    func append(_ bytes: [UInt8]) async throws(StorageProblem) {
        try await files.step { () throws(StorageProblem) in try await base.append(bytes) }
    }

    func finish() async throws(StorageProblem) -> PinnedFile {
        try await files.step { () throws(StorageProblem) in try await base.finish() }
    }

    func discard() async {
        await files.world.linger(files.process)
        guard files.process.isRunning else { return }
        await base.discard()
        files.release(copiesFor: [uuid])
    }
}
