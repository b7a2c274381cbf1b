import Ferry
import FerryFrontend
import Glibc
import Synchronization
import UnixSignals

/// `ferry run --forever`: runs the queue, and every transfer added to it, until it is stopped.
final class BackgroundService: Sendable {
    private let session: Session
    private let readTerms: @Sendable () throws -> EngineTerms
    private let terms: Mutex<EngineTerms>
    private let actions: EndActions
    private let refreshURL: RefreshArgument.Refresher?
    private let notifier: ServiceNotifier?
    private let deadline: StopDeadline

    /// - Parameters:
    ///   - terms: the terms at the start.
    ///   - actions: what is done when a transfer has ended.
    ///   - refreshURL: gives a fresh URL for an expired one.
    ///   - readTerms: reads the terms again.
    init(
        _ session: Session,
        _ terms: EngineTerms,
        _ actions: EndActions,
        refreshURL: RefreshArgument.Refresher?,
        readTerms: @escaping @Sendable () throws -> EngineTerms
    ) {
        self.session = session
        self.actions = actions
        self.refreshURL = refreshURL
        self.readTerms = readTerms
        self.terms = Mutex(terms)
        notifier = ServiceNotifier(session.environment, console: session.console)
        deadline = StopDeadline {
            let text =
                "ferry: did not stop in time. The next `ferry run` resumes its transfers. It does not repeat requests that "
                + "must not be sent twice: `ferry list --state failed` shows those of unknown outcome.\n"
            Terminal.errors.writeIfReady(text)
            _exit(ExitStatus.unfinished.rawValue)
        }
    }

    /// Opens the engine, and runs it until it is stopped and closed.
    func run() async throws -> ExitStatus {
        defer { deadline.cancel() }
        // From here on SIGHUP does not end the process, not even while the service stops.
        let reloads = await UnixSignalsSequence(trapping: .sighup)
        defer { signal(SIGHUP, SIG_IGN) }
        let terms = terms.withLock { $0 }
        return try await session.withEngine {
            $0.scope = .everything(untilDrained: false)
            $0.whenStopped = .release
            terms.apply(to: &$0)
            $0.refreshURL = refreshURL
        } _: { engine in
            try await self.run(engine, reloads)
        }
    }

    private func run(_ engine: TransferEngine, _ reloads: UnixSignalsSequence) async throws -> ExitStatus {
        session.console.notice(
            "Ferry \(FerryVersion.current) runs the queue in \(TerminalText.safe(session.dataDirectory))."
        )
        let run = ForegroundRun(.service, engine: engine, console: session.console, actions: actions) {
            self.deadline.begin()
            self.notifier?.stopping()
        }
        return try await withThrowingTaskGroup(of: ExitStatus?.self) { group in
            group.addTask { try await run.run() }
            group.addTask {
                await self.notifier?.run(engine) { run.status }
                return nil
            }
            group.addTask {
                for await _ in reloads { self.readAgain(engine) }
                return nil
            }
            defer { group.cancelAll() }
            while let end = try await group.next() {
                if let end { return end }
            }
            return .done
        }
    }

    /// Reads the configuration again. An invalid one changes nothing.
    private func readAgain(_ engine: TransferEngine) {
        notifier?.reloading()
        defer { notifier?.reloaded() }
        let changed: EngineTerms
        do {
            changed = try readTerms()
        } catch {
            let failure = CommandFailure(error)
            session.console.warning(
                "The new configuration is not used; the previous one stays in effect. \(failure.message)"
            )
            tell(SettingsChange(), problem: failure)
            return
        }
        let before = terms.withLock { terms in
            defer { terms = changed }
            return terms
        }
        let change = SettingsChange(from: before.settings, to: changed.settings)
        changed.apply(to: engine)
        for line in change.lines { session.console.notice(line) }
        tell(change, problem: nil)
    }

    private func tell(_ change: SettingsChange, problem: CommandFailure?) {
        guard session.console.appearance.json else { return }
        session.console.data([
            "event": "reloaded",
            "changed": .array(change.atOnce.map { .string($0.name) }),
            "atNextStart": .array(change.atStart.map { .string($0.name) }),
            "error": problem.map { .string($0.message) } ?? .null,
        ])
    }
}
