import Ferry

/// How a command's engine runs what it is given: what the options say, else the settings, else what is built in.
struct EngineTerms: Hashable, Sendable {
    /// How many transfers run at once.
    let slots: Int
    /// How many connections may be open to one server at once; `nil` leaves it to what each transfer asks for.
    let connectionsPerHost: Int?
    /// How fast all of them may be together.
    let rateLimit: RateSchedule
    /// What all of this was made of.
    let settings: Settings

    /// How many transfers a command runs at once when nobody says anything: fewer than an engine does, as a person waits for
    /// each of them.
    static let usualSlots = 5

    /// - Throws: ``CommandFailure`` with status 64 for a rate that is none.
    init(_ jobs: JobsArgument, _ rate: RateArgument, _ settings: Settings) throws(CommandFailure) {
        var settings = settings
        settings.override(.jobs, jobs.jobs.map { "\($0)" }, by: "--jobs")
        settings.override(
            .connectionsPerHost,
            jobs.connectionsPerHost.map { "\($0)" },
            by: "--connections-per-host"
        )
        settings.override(.limitRate, rate.text, by: "--limit-rate")
        self.settings = settings
        slots = settings.number(.jobs) ?? Self.usualSlots
        connectionsPerHost = settings.number(.connectionsPerHost)
        rateLimit = try RateArgument.schedule(settings[.limitRate])
    }

    /// Makes them an engine's.
    func apply(to configuration: inout EngineConfiguration) {
        configuration.slots = slots
        configuration.connectionsPerHost = connectionsPerHost
        configuration.rateLimit = rateLimit
    }

    /// Makes them those of an engine that runs already.
    func apply(to engine: TransferEngine) {
        engine.setSlots(slots)
        engine.setConnectionsPerHost(connectionsPerHost)
        engine.setRateLimit(rateLimit)
    }
}
