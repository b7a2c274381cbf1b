import FerryFrontend
import Glibc

/// The interval at which the service manager expects a sign of life (sd_watchdog_enabled(3)).
struct Watchdog: Hashable, Sendable {
    /// The time without a sign of life after which the manager takes the service for dead.
    let limit: Duration

    /// The interval between signs of life: half of the limit, as the manual page recommends.
    var interval: Duration { limit / 2 }

    /// The watchdog from the environment; `nil` if there is no watchdog, or it is for another process.
    init?(_ environment: ProcessEnvironment, process: Int32 = getpid()) {
        guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], owner != "\(process)" { return nil }
        limit = .microseconds(microseconds)
    }
}
