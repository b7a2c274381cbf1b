import Ferry
import FerryCore
import Logging
internal import Synchronization

/// The whole world of one simulation: one machine with its store, disk, clock and processes, and the servers.
/// Everything in it runs on the thread that calls ``advance()``.
final class SimulatedWorld: Sendable {
    /// An engine in its own process.
    struct Resident: Sendable {
        let process: SimulatedProcess
        let engine: TransferEngine
        let transport: SimulatedTransport
        /// Whether it runs transfers, instead of executing one command.
        let isRunner: Bool
        /// The transfers that it runs.
        let scope: EngineConfiguration.Scope
    }

    private struct State {
        var rates: SimulationScenario.Rates
        var residents: [Resident] = []
        var tasks = 0
        var isCalm = false
    }

    let dice: SimulationDice
    let executor = SimulatedExecutor()
    let clock = ManualClock()
    let machine = SimulatedMachine()
    let network = ScriptedNetworkMonitor()
    let store: MemoryTransferStore
    let files: MemoryPartFileSystem
    let origin: SimulatedOrigin
    let service: SimulatedService
    let depot: SimulatedDepot
    let bodies = MemoryBodyFiles()
    let scenario: SimulationScenario
    let trace: SimulationTrace
    let checker: InvariantChecker
    private let state: Mutex<State>

    init(seed: UInt64, isTraced: Bool) throws {
        dice = SimulationDice(seed: seed)
        store = MemoryTransferStore(random: SeededRandom(seed: ~seed))
        trace = SimulationTrace(isKept: isTraced, clock: clock)
        origin = SimulatedOrigin(clock: clock)
        service = SimulatedService(trace: trace, files: bodies)
        depot = SimulatedDepot(files: bodies, trace: trace)
        scenario = try SimulationScenario(dice: dice, origin: origin)
        files = MemoryPartFileSystem(
            directories: [SimulationScenario.directory],
            directorySyncThreshold: scenario.syncsDirectoryAlways ? 0 : 1 << 20
        )
        checker = InvariantChecker(
            store: store,
            files: files,
            origin: origin,
            bodies: bodies,
            calls: CallChecker(service: service, files: files, trace: trace),
            uploads: UploadChecker(depot: depot, trace: trace),
            deadlines: DeadlineChecker(trace: trace, now: clock.now),
            trace: trace,
            scenario: scenario
        )
        state = Mutex(State(rates: scenario.rates))
        for queue in scenario.queues {
            try store.write(.power) { $0.replace(queue) }
            checker.changed(queue)
        }
        if let settings = scenario.pool?.settings { try store.write(.power) { $0.cache.put(settings) } }
        for bystander in scenario.bystanders {
            let identity = files.put(
                bystander.kind,
                bystander.bytes,
                as: bystander.name,
                in: SimulationScenario.directory
            )
            checker.placed(bystander, identity)
        }
    }

    /// The current rates of faults.
    var rates: SimulationScenario.Rates { state.withLock { $0.rates } }

    /// The running processes that were not killed.
    var residents: [Resident] { state.withLock { $0.residents } }

    var runners: [Resident] { residents.filter(\.isRunner) }

    /// Whether a process still carries out a command.
    var hasCommands: Bool { residents.contains { !$0.isRunner } }

    /// Whether any task has not ended, even of a dead process.
    var hasTasks: Bool { state.withLock { $0.tasks > 0 } }

    var isCalm: Bool { state.withLock { $0.isCalm } }

    /// Stops all faults from now on.
    func calm() {
        state.withLock { state in
            state.isCalm = true
            state.rates = .calm
        }
        files.setCapacity(nil)
        network.restore()
    }

    /// Drops all references, because the parts of a world refer to each other.
    func dissolve() { state.withLock { $0.residents = [] } }

    /// A problem of a machine without a network.
    func noRoute() -> Problem {
        dice.pick([
            .transient(.nameNotResolved, "No resolver answers."),
            .transient(.connectionLost, "Nothing came back."),
            .condition(.network, .networkUnreachable, "There is no route."),
        ])
    }

    // MARK: Time

    /// The time on the clock that measures waits.
    var uptime: Instant { .epoch.advanced(by: clock.elapsed) }

    /// Lets others run first, sometimes for a while.
    func linger() async {
        await executor.pause()
        guard dice.happens(rates.slowCalls) else { return }
        trace.count(.slowCall)
        do {
            try await clock.sleep(for: dice.milliseconds(1..<2_000))
        } catch {
            // The caller was cancelled.
            return
        }
    }

    /// Like ``linger()``, and also as long as the calling process is stopped.
    func linger(_ process: SimulatedProcess) async {
        await linger()
        let rest = process.standstill - clock.elapsed
        guard rest > .zero else { return }
        do {
            try await clock.sleep(for: rest)
        } catch {
            return
        }
    }

    /// Lets one task run, or time pass if none can.
    ///
    /// - Returns: whether anything could happen.
    func advance() -> Bool {
        trace.step += 1
        // Sometimes the machine is so slow that a wait ends before all ready tasks have run.
        if !isCalm, dice.happens(5), clock.advanceToNextTimer() { return true }
        if executor.runOne(dice) { return true }
        if isCalm { for resident in residents { resident.transport.base.release() } }
        return executor.runOne(dice) || clock.advanceToNextTimer()
    }

    // MARK: Processes

    /// Starts an engine that runs transfers, first those of some errands.
    func startRunner(_ errands: [SimulationScenario.Errand], scope: EngineConfiguration.Scope) {
        let whenStopped: EngineConfiguration.StopPolicy = dice.happens(300) ? .pause : .release
        start(scope, whenStopped, isRunner: true, isAdding: !errands.isEmpty) { [trace, dice] resident in
            if !errands.isEmpty {
                let isFollowed = scope == .followed || dice.happens(500)
                let count = try await self.add(errands, to: resident, isFollowed: isFollowed)
                resident.process.set(adding: false)
                guard resident.process.isRunning else { return }
                trace.note("acknowledged", resident.process.number, Int64(count))
                if count == 0, scope == .followed { return }
            } else if scope == .followed {
                return
            }
            try await resident.engine.run()
        }
    }

    /// Starts a process that carries out one command.
    func command(
        isAdding: Bool = false,
        _ body: @escaping @Sendable (TransferEngine) async throws -> Void
    ) {
        start(.followed, .release, isRunner: false, isAdding: isAdding) { resident in
            do {
                try await body(resident.engine)
            } catch StoreError.notPossible, StoreError.noSuchTransfer, StoreError.noTransferNamed {
                // Its transfer has moved on.
            } catch is StorageProblem {
                resident.process.allowFailure()
            }
        }
    }

    private func start(
        _ scope: EngineConfiguration.Scope,
        _ whenStopped: EngineConfiguration.StopPolicy,
        isRunner: Bool,
        isAdding: Bool = false,
        _ body: @escaping @Sendable (Resident) async throws -> Void
    ) {
        let process = machine.spawn()
        process.set(adding: isAdding)
        var configuration = EngineConfiguration(dataDirectory: "(memory)")
        configuration.scope = scope
        configuration.whenStopped = whenStopped
        configuration.slots = dice.pick([1, 3, 10])
        configuration.smallestPiece = 500
        configuration.smallLength = scenario.sparesNames ? DownloadMachine.smallLength : 0
        configuration.connectionsPerHost = dice.pick([2, 16])
        if process.number.isMultiple(of: 3) {
            configuration.refreshCredentials = { _, _ in .bearer(token: SimulatedService.freshToken) }
        }
        if process.number.isMultiple(of: 2) {
            configuration.resolveOutcome = { [checker] id, _ in checker.calls.outcome(of: id) }
        }
        configuration.logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
        let transport = SimulatedTransport(world: self, process: process)
        let engine = TransferEngine(
            configuration,
            seams: EngineSeams(
                client: ClientSeams(
                    store: SimulatedStore(world: self, process: process),
                    files: SimulatedFiles(world: self, process: process),
                    bodies: SimulatedBodies(world: self, process: process),
                    clock: SimulatedClock(base: clock, process: process),
                    host: process,
                    executor: executor
                ),
                transport: transport,
                network: network,
                random: dice.split()
            )
        )
        let resident = Resident(
            process: process,
            engine: engine,
            transport: transport,
            isRunner: isRunner,
            scope: scope
        )
        for type in SimulationScenario.types where isCalm || dice.happens(500) {
            register(type, with: engine, of: process)
        }
        state.withLock { state in
            state.residents.append(resident)
            state.tasks += 1
        }
        trace.note("process begins", process.number, isRunner ? 1 : 0, "\(scope) \(whenStopped)")
        Task(executorPreference: executor) { await self.live(resident, body) }
    }

    private func live(_ resident: Resident, _ body: @Sendable (Resident) async throws -> Void) async {
        let process = resident.process
        do {
            try await resident.engine.cleanUp()
            try await body(resident)
            trace.note("process is done", process.number)
        } catch {
            trace.note("process fails", process.number, 0, "\(error)")
            if process.isRunning, !process.mayFail {
                trace.complain("I10: process \(process.number) failed for no reason: \(error)")
            }
        }
        await resident.engine.close()
        if process.isRunning { process.exit() }
        state.withLock { state in
            state.tasks -= 1
            state.residents.removeAll { $0.process === process }
        }
    }

    /// Runs work that belongs to no process, to its end.
    func attend(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.tasks += 1 }
        Task(executorPreference: executor) {
            await body()
            self.state.withLock { $0.tasks -= 1 }
        }
    }

    /// Kills a process: from now on it reaches nothing, and ends unseen.
    func kill(_ resident: Resident) {
        trace.note("process is killed", resident.process.number)
        resident.process.kill()
        state.withLock { $0.residents.removeAll { $0.process === resident.process } }
        resident.engine.stop()
        // Its tasks would wait for answers that no one reads.
        resident.transport.base.release()
        resident.transport.wire.die()
    }
}
