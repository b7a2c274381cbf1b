import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry doctor`: finds problems.
struct DoctorCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Check the data directory, the store and the environment; exit with status 1 if a check fails."
    )

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input, needsSettings: false) { session in
            var reports = MachineChecks.settings(session.settingsFile, session.settingsFailure)
            reports += MachineChecks.dataDirectory(session.dataDirectory)
            reports += MachineChecks.downloads(session.settings[.directory], session.environment)
            reports += await store(session)
            reports += MachineChecks.network(session.environment)
            for report in reports {
                if global.json {
                    session.console.data(report.json)
                } else if report.verdict == .problem || !global.quiet {
                    for line in report.lines { session.console.data(line, indent: 8) }
                }
            }
            return reports.contains { $0.verdict == .problem } ? .other : .done
        }
    }

    private func store(_ session: Session) async -> [CheckReport] {
        guard session.holdsStore else {
            return [.note("store", "no store yet; the first download creates it")]
        }
        do {
            return try await session.withClient(for: .reading) { try await StoreChecks.all($0) }
        } catch {
            let failure = CommandFailure(error)
            return [.problem("store", failure.message, hint: failure.hint)]
        }
    }
}
