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
            ones with a part file, stay: remove them with `ferry remove`, for example with --state failed. A download \
            that failed before its first byte, such as with 404 Not Found, is removed after 7 days, or after --older-than \
            if that is longer.
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
        try await Session.run(global.input) { session in
            let retention = try retention()
            return try await session.withClient { client in
                let count = try await client.prune(retention)
                if session.console.appearance.json {
                    session.console.data(["forgotten": .int(Int64(count))])
                } else {
                    session.console.notice(text(count))
                }
                return .done
            }
        }
    }

    /// What was removed; the rule if that is nothing.
    func text(_ count: Int) -> String {
        guard count == 0 else { return "Removed \(count) \(count == 1 ? "transfer" : "transfers")." }
        let rules = [
            olderThan.map { "ended more than \($0) ago" }, keep.map { "are beyond the latest \($0)" },
        ].compactMap(\.self)
        let rule = rules.isEmpty ? "ended more than 30 days ago" : rules.joined(separator: " or ")
        let way = rules.isEmpty ? " --older-than AGE sets another age." : ""
        return "Removed 0 transfers. Completed and cancelled ones are removed if they \(rule).\(way)"
    }

    /// The transfers to keep: by the options if any is given, otherwise the default.
    func retention() throws -> Retention {
        let age = try age()
        guard age != nil || keep != nil else { return .standard }
        var retention = Retention(age: age, count: keep)
        // Nothing that ended more recently than `--older-than` is removed.
        if let age { retention.emptyFailureAge = retention.emptyFailureAge.map { max($0, age) } }
        return retention
    }

    private func age() throws -> Duration? {
        guard let olderThan else { return nil }
        do {
            return try Seconds.parse(olderThan, withUnit: "--older-than", example: "30d")
        } catch {
            throw ValidationError(error.message)
        }
    }
}
