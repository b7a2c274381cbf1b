import Ferry
import FerryCore
import FerryTesting
import Logging
import Synchronization

/// One machine in memory: a store, a disk, an origin and a clock. Engines start and stop on it like processes.
final class Bench: Sendable {
    let store = MemoryTransferStore()
    let clock = ManualClock()
    let files = MemoryPartFileSystem(directories: ["/d"])
    let bodies = MemoryBodyFiles()
    let transport: ScriptedTransport
    let network = ScriptedNetworkMonitor()
    let machine = Machine()
    let url: HTTPURL
    /// Bytes in which every offset differs from its neighbours.
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// - Parameter bringsWholeBodies: whether each body has arrived with its head.
    init(bringsWholeBodies: Bool = false) throws {
        transport = ScriptedTransport(clock: clock, bringsWholeBody: { bringsWholeBodies })
        url = try HTTPURL(parsing: "http://origin.example/file.bin")
        transport.set(ScriptedResource(bytes, entityTag: "\"v1\""), at: url)
    }

    /// The processes of the machine.
    final class Machine: Sendable {
        private struct State {
            var boot = BootID(rawValue: "boot-1")
            var latest: Int32 = 100
            var dead: Set<Int32> = []
            var hidden: Set<Int32> = []
            var seat: ProcessIdentity.Seat?
        }

        private let state = Mutex(State())

        func spawn() -> Process {
            state.withLock { state in
                state.latest += 1
                return Process(
                    currentProcess: ProcessIdentity(pid: state.latest, startTime: 1, boot: state.boot),
                    machine: self
                )
            }
        }

        func kill(_ process: Process) {
            state.withLock { _ = $0.dead.insert(process.currentProcess.pid) }
        }

        func reboot() {
            state.withLock { $0.boot = BootID(rawValue: "boot-2") }
        }

        /// From now on, no engine can see whether a process is alive.
        func hide(_ process: Process) { hide(process.currentProcess) }

        /// The same for an owner that is known by its row.
        func hide(_ process: ProcessIdentity) {
            state.withLock { _ = $0.hidden.insert(process.pid) }
        }

        /// Changes the seat under which new processes prove that they are alive.
        func reseat(_ seat: ProcessIdentity.Seat) {
            state.withLock { $0.seat = seat }
        }

        /// A process and its proof of life.
        func enrol(_ process: ProcessIdentity) -> ProcessIdentity {
            var process = process
            process.seat = state.withLock { $0.seat }
            return process
        }

        func life(of process: ProcessIdentity) -> Life {
            state.withLock { state in
                if state.hidden.contains(process.pid) { return .unproved }
                return state.boot == process.boot && !state.dead.contains(process.pid) ? .alive : .dead
            }
        }
    }

    /// One process with its view of the machine.
    struct Process: HostInspector {
        let currentProcess: ProcessIdentity
        let machine: Machine
        var boot: BootID { currentProcess.boot }
        func enrol() async throws(StoreError) -> ProcessIdentity { machine.enrol(currentProcess) }
        func life(of process: ProcessIdentity) -> Life { machine.life(of: process) }
    }

    func engine(
        _ scope: EngineConfiguration.Scope = .followed,
        as process: Process? = nil,
        whenStopped: EngineConfiguration.StopPolicy = .release,
        rateLimit: RateSchedule = .off,
        resultMemory: Int = 1 << 20,
        refreshURL: (@Sendable (TransferID, HTTPURL) async throws -> HTTPURL)? = nil,
        slots: Int = 10,
        bodies: (any BodyFiles)? = nil,
        retention: Retention = .unbounded,
        transport: (any HTTPTransport)? = nil,
        configure: (inout EngineConfiguration) -> Void = { _ in }
    ) -> TransferEngine {
        var configuration = EngineConfiguration(dataDirectory: "/unused")
        configuration.scope = scope
        configuration.whenStopped = whenStopped
        configuration.rateLimit = rateLimit
        configuration.resultMemory = resultMemory
        configuration.refreshURL = refreshURL
        configuration.slots = slots
        configuration.retention = retention
        configure(&configuration)
        let seams = EngineSeams(
            client: clientSeams(process ?? machine.spawn(), bodies),
            transport: transport ?? self.transport,
            network: network,
            random: SeededRandom(seed: 1),
            objectStoreAccess: configuration.objectStoreAccess,
            cookies: configuration.cookies
        )
        return TransferEngine(configuration, seams: seams)
    }

    /// A client of the same store and disk that stands alone.
    func client(as process: Process? = nil, logger: Logger = Logger(label: "ferry")) -> TransferClient {
        TransferClient(seams: clientSeams(process ?? machine.spawn()), logger: logger)
    }

    func clientSeams(_ process: Process, _ bodies: (any BodyFiles)? = nil) -> ClientSeams {
        ClientSeams(store: store, files: files, bodies: bodies ?? self.bodies, clock: clock, host: process)
    }

    var destination: Destination {
        get throws { .file(directory: "/d", name: try FileName(userGiven: "file.bin")) }
    }

    var published: [UInt8]? {
        get throws { files.contents(of: try FileName(userGiven: "file.bin"), in: "/d") }
    }

    /// Runs a download to its end, by default to ``destination``.
    func fetch(
        _ options: DownloadOptions = DownloadOptions(),
        to place: Destination? = nil
    ) async throws -> Transfer {
        let engine = engine()
        let handle = try await engine.download(from: url, to: place ?? destination, options: options)
        try await engine.run()
        return try await handle.snapshot
    }

    /// Runs a transfer of an earlier engine, until it ends or waits.
    func resume(_ id: TransferID) async throws -> Transfer {
        let engine = engine()
        try await engine.follow([id])
        try await engine.run()
        return try await engine.snapshot(of: id)
    }

    /// A running download whose server has sent this many bytes and then stalled.
    func stalled(
        after count: Int,
        under engine: TransferEngine
    ) async throws -> (handle: TransferHandle, work: Task<Void, any Error>) {
        transport.order(.stallAfter(count), at: url)
        let handle = try await engine.download(from: url, to: destination)
        let work = Task { try await engine.run() }
        do {
            try await transport.nextStall()
        } catch {
            work.cancel()
            throw error
        }
        return (handle, work)
    }

    /// Runs an engine while `body` runs, and stops it. An engine that fails cancels `body`.
    func running<Result: Sendable>(
        _ engine: TransferEngine,
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask {
                try await engine.run()
                return nil
            }
            group.addTask {
                defer { engine.stop() }
                return try await body()
            }
            var result: Result?
            while let ended = try await group.next() { result = ended ?? result }
            guard let result else { throw CancellationError() }
            return result
        }
    }
}

extension Transfer {
    /// The row of a download, which is in no store.
    static func row(_ id: Int64, _ state: TransferState) throws -> Transfer {
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: nil)
        )
        var transfer = Transfer(id: TransferID(rawValue: id), adding: NewTransfer(specification), at: .epoch)
        transfer.state = state
        return transfer
    }

    /// Why it failed; `nil` if it did not.
    var failure: TransferFailure? { if case .failed(let failure) = state { failure } else { nil } }
}

extension TransferHandle {
    /// Waits until the transfer has this state, and returns it.
    func reaches(_ name: TransferState.Name) async -> Transfer? {
        for await update in events where update.transfer.state.name == name { return update.transfer }
        return nil
    }
}
