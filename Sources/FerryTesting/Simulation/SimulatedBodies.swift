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
}
