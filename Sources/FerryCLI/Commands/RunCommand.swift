import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry run`: runs the transfers of all queues until none is left, or without end.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the transfers of all queues, and those that dead processes left, until none can run.",
        // Of many options, the parser's own line does not say that none is required.
        usage: "ferry run [<options>]",
        discussion: """
            With --forever it waits for more transfers: those from `ferry add` in any terminal start at once. The packages \
            install a unit for systemd: `systemctl --user enable --now ferry` runs it as a service. SIGTERM stops it \
            within 5 seconds, and its transfers resume at the next start. SIGHUP reads the settings again.
            """
    )

    @Flag(help: "Wait for more transfers when none is left.")
    var forever = false

    @OptionGroup var jobs: JobsArgument
    @OptionGroup var rate: RateArgument
    @OptionGroup var refresh: RefreshArgument
    @OptionGroup var ends: EndArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            let terms = try terms(with: session.settings)
            let actions = try ends.input.actions(in: session)
            session.console.draw(["Starting"])
            if forever { return try await self.service(session, terms, actions).run() }
            return try await session.withEngine {
                $0.scope = .everything(untilDrained: true)
                $0.whenStopped = .release
                terms.apply(to: &$0)
                $0.refreshURL = refresh.refresher
            } _: { engine in
                try await ForegroundRun(.queue, engine: engine, console: session.console, actions: actions)
                    .run()
            }
        }
    }

    private func service(
        _ session: Session,
        _ terms: EngineTerms,
        _ actions: EndActions
    ) -> BackgroundService {
        let command = self
        return BackgroundService(session, terms, actions, refreshURL: refresh.refresher) {
            // The environment of a process does not change after its start; only the file is read again.
            let settings = try Settings(session.environment, file: session.settingsFile)
            return try command.terms(with: settings)
        }
    }

    private func terms(with settings: Settings) throws(CommandFailure) -> EngineTerms {
        try EngineTerms(jobs.input, limitRate: rate.text, global.input.overriding(settings))
    }
}
