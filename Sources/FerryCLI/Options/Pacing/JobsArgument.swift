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

    /// What was typed, without the parser.
    var input: JobsInput {
        JobsInput(jobs: jobs, connectionsPerHost: connectionsPerHost, wait: wait)
    }

    func validate() throws {
        if let flaw = input.flaw { throw ValidationError(flaw) }
    }
}
