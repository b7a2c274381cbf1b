import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry prune`: removes old finished transfers from the list.
struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Remove old completed and cancelled transfers from the list; files stay.",
        discussion: """
            Without options, it removes transfers that ended more than 30 days ago, and all but the latest 100,000. \
            A ferry process that runs for more than a minute does the same by itself. Failed transfers, and cancelled \
            ones with a part file, stay: remove them with `ferry remove`, for example with --state failed.
            """
    )

    @Option(
        help: ArgumentHelp(
            "Remove transfers that ended longer ago than this: 30d, 12h or 90m.",
            valueName: "age"
        )
    )
    var olderThan: String?

    @Option(help: ArgumentHelp("Keep the latest N transfers.", valueName: "count"))
    var keep: Int?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if let keep, keep < 0 { throw ValidationError("--keep must be 0 or more.") }
        _ = try age()
    }

    func run() async throws {
        try await Session.run(global) { session in
            let retention = try retention()
            return try await session.withClient { client in
                let count = try await client.prune(retention)
                if session.console.appearance.json {
                    session.console.data(["forgotten": .int(Int64(count))])
                } else {
                    session.console.notice("Removed \(count) \(count == 1 ? "transfer" : "transfers").")
                }
                return .done
            }
        }
    }

    /// The transfers to keep: by the options if any is given, otherwise the default.
    private func retention() throws -> Retention {
        let age = try age()
        return age == nil && keep == nil ? .standard : Retention(age: age, count: keep)
    }

    private func age() throws -> Duration? {
        guard let olderThan else { return nil }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = olderThan.last.flatMap({ units[$0] }), let count = Int64(olderThan.dropLast()),
            (0...Self.mostUnits).contains(count)
        else {
            throw ValidationError("--older-than must be a number followed by s, m, h or d, such as 30d.")
        }
        return .seconds(count * unit)
    }

    /// Maximum number of units: longer than any use, and short enough to count in seconds.
    private static let mostUnits: Int64 = 1_000_000
}
