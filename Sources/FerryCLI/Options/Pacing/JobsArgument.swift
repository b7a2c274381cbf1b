import ArgumentParser

/// The limits on what runs at once, and the pause between attempts.
struct JobsArgument: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Run up to N transfers at once (default 5).", valueName: "jobs")
    )
    var jobs: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Open up to N connections to one server (default 16, or -x if that is more).",
            valueName: "count"
        )
    )
    var connectionsPerHost: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Wait N seconds after an attempt before the next one starts; one transfer runs at a time.",
            valueName: "seconds"
        )
    )
    var wait: String?

    func validate() throws {
        for (count, option) in [(jobs, "--jobs"), (connectionsPerHost, "--connections-per-host")] {
            guard let count, !(1...SettingKey.most).contains(count) else { continue }
            throw ValidationError("\(option) must be from 1 to \(SettingKey.most).")
        }
    }
}
