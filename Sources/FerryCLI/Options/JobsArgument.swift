import ArgumentParser

/// How many transfers run at once.
struct JobsArgument: ParsableArguments {
    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp("Run so many transfers at once.", valueName: "jobs")
    )
    var jobs = 5

    func validate() throws {
        guard (1...1000).contains(jobs) else { throw ValidationError("--jobs must be from 1 to 1000.") }
    }
}
