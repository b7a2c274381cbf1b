import FerryCore
internal import Synchronization

/// The file system as one process sees it. Others may act before a call takes effect and before its answer
/// arrives, and some calls fail.
final class SimulatedFiles: PartFileSystem {
    let world: SimulatedWorld
    let process: SimulatedProcess
    private let open = Mutex<[SimulatedPart]>([])

    init(world: SimulatedWorld, process: SimulatedProcess) {
        self.world = world
        self.process = process
        process.atDeath { [weak self] in self?.abandon() }
        process.atFence { [weak self] in self?.fence($0) }
    }

    static let dead = StorageProblem(.transient(.storageFault, "The process is dead."), errno: 0)

    /// Runs a call: draws a failure, and checks the result.
    func call<Value>(
        _ operation: FileFault.Operation,
        number: Int64 = 0,
        _ effect: () async throws(StorageProblem) -> sending Value
    ) async throws(StorageProblem) -> sending Value {
        await world.linger()
        guard process.isRunning else { throw Self.dead }
        drawFault(operation)
        do throws(StorageProblem) {
            let value = try await effect()
            world.trace.note("file call", process.number, number, operation.rawValue)
            await answer(operation)
            guard process.isRunning else { throw Self.dead }
            return value
        } catch {
            world.trace.note(
                "file call fails",
                process.number,
                number,
                "\(operation.rawValue): \(error.problem.failure.message)"
            )
            await answer(operation)
            throw error
        }
    }

    private func answer(_ operation: FileFault.Operation) async {
        if operation == .publish || operation == .removePart { world.checker.checkNames() }
        if world.dice.happens(500) { await world.linger() }
    }

    /// Draws whether the next call of an operation fails.
    func drawFault(_ operation: FileFault.Operation) {
        // Syncs are few, and much depends on them.
        let rate = world.rates.disk * (operation == .synchronize ? 6 : 1)
        guard world.dice.happens(rate) else { return }
        let effect = world.dice.pick([FileFault.Effect.none, .half, .whole])
        switch (operation, effect) {
        case (.synchronize, .half): world.trace.count(.syncDropped, process.number)
        case (.synchronize, _): world.trace.count(.syncFailed, process.number)
        default: world.trace.count(.fileCallFailed, process.number, operation.rawValue)
        }
        world.files.inject(FileFault(operation, effect: effect))
    }

    func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey {
        try await call(.survey) { () throws(StorageProblem) in try await world.files.survey(place) }
    }

    func createPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile {
        try await opening(.createPart) { () throws(StorageProblem) in
            try await world.files.createPart(at: place)
        }
    }

    func openPart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) -> any PartFile {
        try await opening(.openPart) { () throws(StorageProblem) in
            try await world.files.openPart(at: place, identity: identity)
        }
    }

    func openFinished(
        at place: FilePlace,
        identity: FileIdentity
    ) async throws(StorageProblem) -> any PartFile {
        try await opening(.openFinished) { () throws(StorageProblem) in
            try await world.files.openFinished(at: place, identity: identity)
        }
    }

    private func opening(
        _ operation: FileFault.Operation,
        _ effect: () async throws(StorageProblem) -> any PartFile
    ) async throws(StorageProblem) -> any PartFile {
        try await call(operation) { () throws(StorageProblem) in
            let part = SimulatedPart(try await effect(), files: self)
            if operation == .createPart, process.mayFail { world.checker.doubted(part.identity) }
            open.withLock { $0.append(part) }
            return part
        }
    }

    func removePart(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) {
        try await call(.removePart) { () throws(StorageProblem) in
            if let pool = world.scenario.pool, place.directory == pool.directory {
                world.checker.pools.willDelete(place, identity, world.checker.look { $0 })
            }
            try await world.files.removePart(at: place, identity: identity)
        }
    }

    func removeLink(at place: FilePlace) async throws(StorageProblem) -> Bool {
        try await world.files.removeLink(at: place)
    }

    func makeDirectory(_ path: String) async throws(StorageProblem) {
        try await world.files.makeDirectory(path)
    }

    func listing(of directory: String) async throws(StorageProblem) -> [FileName] {
        try await world.files.listing(of: directory)
    }

    func adopt(at place: FilePlace, identity: FileIdentity) async throws(StorageProblem) {
        try await call(.publish) { () throws(StorageProblem) in
            try await world.files.adopt(at: place, identity: identity)
        }
    }

    func giveBack(
        at place: FilePlace,
        identity: FileIdentity,
        _ adoption: PendingAdoption
    ) async throws(StorageProblem) {
        try await call(.removePart) { () throws(StorageProblem) in
            try await world.files.giveBack(at: place, identity: identity, adoption)
        }
    }

    func openStream(
        path: String,
        digest: Checksum.Algorithm?
    ) async throws(StorageProblem) -> any StreamSink {
        try await call(.openStream) { () throws(StorageProblem) in
            try await world.files.openStream(path: path, digest: digest)
        }
    }

    func synchronizeDirectory(of place: FilePlace) async throws(StorageProblem) {
        try await call(.synchronizeDirectory) { () throws(StorageProblem) in
            try await world.files.synchronizeDirectory(of: place)
        }
    }

    func freeSpace(in directory: String) async throws(StorageProblem) -> Int64 {
        try await call(.freeSpace) { () throws(StorageProblem) in
            try await world.files.freeSpace(in: directory)
        }
    }

    func isReadOnly(_ directory: String) async -> Bool { await world.files.isReadOnly(directory) }

    func mountPoint(of directory: String) async -> String? { await world.files.mountPoint(of: directory) }

    func resolvedPath(of directory: String) async -> String {
        await world.files.resolvedPath(of: directory)
    }

    // MARK: Open files

    func closed(_ part: SimulatedPart) {
        open.withLock { $0.removeAll { $0 === part } }
    }

    /// The process has learned that a file belongs to another owner now.
    func fence(_ identity: FileIdentity) {
        for part in open.withLock({ $0 }) where part.identity == identity { part.fence() }
    }

    /// The process dies: the kernel closes its open files.
    private func abandon() {
        let parts = open.withLock { open in
            defer { open = [] }
            return open
        }
        for part in parts { part.abandon() }
    }
}
