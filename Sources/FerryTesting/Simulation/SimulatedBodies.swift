import FerryCore

/// The files that requests carry, as one process sees them.
struct SimulatedBodies: BodyFiles {
    let world: SimulatedWorld
    let process: SimulatedProcess

    func pin(_ path: String) async throws(StorageProblem) -> PinnedFile {
        try await world.bodies.pin(path)
    }

    func open(_ body: StoredBody) async throws(Problem) -> RequestBody {
        await world.linger(process)
        guard process.isRunning else { throw .permanent(.internalFault, "The process is dead.") }
        let opened = try await world.bodies.open(body)
        await world.linger()
        return opened
    }

    // No simulated request has a digest, or a body that is copied.

    func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum] {
        try await world.bodies.digests(of: body, by: algorithms)
    }

    func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy {
        try await world.bodies.copy(for: uuid)
    }

    func release(copiesFor uuids: [TransferUUID]) { world.bodies.release(copiesFor: uuids) }

    func releaseAll() -> Bool { world.bodies.releaseAll() }

    func removeCopy(for uuid: TransferUUID) async { await world.bodies.removeCopy(for: uuid) }

    func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws -> Int {
        try await world.bodies.removeCopies(unless: isNeeded)
    }
}
