import Glibc

/// How often the manager of a service wants to hear that it is alive (sd_watchdog_enabled(3)).
struct Watchdog: Hashable, Sendable {
    /// After so long without a word the service is taken for dead.
    let limit: Duration

    /// How often the word is given: at half of that, as the manual page recommends.
    var interval: Duration { limit / 2 }

    /// What the environment asks for; `nil` when there is no watchdog, or when it is meant for another process.
    init?(_ environment: ProcessEnvironment, process: Int32 = getpid()) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], owner != "\(process)" { return nil }
        limit = .microseconds(microseconds)
    }
}
