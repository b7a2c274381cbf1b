import Ferry
import FerryFrontend

/// The engine settings of a command: from its options, otherwise the settings, otherwise the defaults.
struct EngineTerms: Hashable, Sendable {
    /// Maximum number of transfers that run at once.
    let slots: Int
    /// Maximum connections to one server; `nil` leaves it to what each transfer asks for.
    let connectionsPerHost: Int?
    /// The rate limit of all transfers together.
    let rateLimit: RateSchedule
    /// The pause between attempts.
    let pause: Duration
    /// The settings from which these terms were made.
    let settings: Settings

    /// Default number of transfers that a command runs at once. It is lower than an engine's, because a person waits
    /// for each of them.
    static let usualSlots = 5

    /// - Throws: ``CommandFailure`` with status 64 for an invalid rate or pause.
    init(_ jobs: JobsInput, limitRate: String?, _ settings: Settings) throws(CommandFailure) {
        var settings = settings
        settings.override(.jobs, jobs.jobs.map { "\($0)" }, by: "--jobs")
        settings.override(
            .connectionsPerHost,
            jobs.connectionsPerHost.map { "\($0)" },
            by: "--connections-per-host"
        )
        settings.override(.limitRate, limitRate, by: "--limit-rate")
        var pause = Duration.zero
        if let wait = jobs.wait { pause = try Seconds.parse(wait, orWithUnit: "--wait") }
        try self.init(settings, pause: pause)
    }

    /// The terms of a command without options for them.
    init(_ settings: Settings, pause: Duration = .zero) throws(CommandFailure) {
        self.settings = settings
        self.pause = pause
        slots = settings.number(.jobs) ?? Self.usualSlots
        connectionsPerHost = settings.number(.connectionsPerHost)
        rateLimit = try RateArgument.schedule(settings[.limitRate])
    }

    /// The rate limit of the command line; `nil` if it names none.
    var typedRate: CommandRate? {
        guard let rate = settings.given[.limitRate], case .option(let name) = rate.origin else { return nil }
        return CommandRate(option: "\(name) \(ShellWord.quoted(rate.text))", schedule: rateLimit)
    }

    /// The options that give a later command the limits of the command line.
    var repeated: RepeatedOptions {
        let rate = typedRate.map { " \($0.option)" } ?? ""
        guard let jobs = settings.given[.jobs], case .option = jobs.origin else {
            return RepeatedOptions(ofOne: rate, ofMany: rate)
        }
        return RepeatedOptions(ofOne: rate, ofMany: " -j \(jobs.text)\(rate)")
    }

    /// Applies these terms to a configuration.
    func apply(to configuration: inout EngineConfiguration) {
        configuration.slots = slots
        configuration.connectionsPerHost = connectionsPerHost
        configuration.rateLimit = rateLimit
        configuration.pauseBetweenAttempts = pause
    }

    /// Applies these terms to the configuration of a command that runs only what it names, and pauses it when it is stopped.
    func applyFollowing(to configuration: inout EngineConfiguration) {
        configuration.scope = .followed
        configuration.whenStopped = .pause
        apply(to: &configuration)
    }

    /// Applies these terms to a running engine.
    func apply(to engine: TransferEngine) {
        engine.setSlots(slots)
        engine.setConnectionsPerHost(connectionsPerHost)
        engine.setRateLimit(rateLimit)
    }
}

/// The options with which `ferry resume` runs transfers as a command did; each after a blank.
struct RepeatedOptions: Hashable, Sendable {
    /// Those for one transfer.
    var ofOne = ""
    /// Those for several.
    var ofMany = ""
}
