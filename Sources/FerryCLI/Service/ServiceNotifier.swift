import Ferry
import Glibc
import Synchronization

/// Tells the manager of a service how it does.
///
/// Every word that says that the service is well waits for a whole round of the engine's loop before it is given, so an
/// engine that is stuck is silent, and the manager's watchdog ends it.
final class ServiceNotifier: Sendable {
    private struct State {
        var status = ""
        var hasWarned = false
    }

    /// How often the status is brought up to date, at most.
    static let statusInterval: Duration = .seconds(5)

    private let socket: NotifySocket
    private let watchdog: Watchdog?
    private let console: Console
    private let state = Mutex(State())

    /// A notifier, where the environment names a socket for it.
    init?(_ environment: ProcessEnvironment, console: Console) {
        guard let socket = NotifySocket(environment) else { return nil }
        self.socket = socket
        self.console = console
        watchdog = Watchdog(environment)
    }

    /// Says that the service is ready once it is, and then that it is alive, until the engine has ended.
    func run(_ engine: TransferEngine, status: @Sendable () -> String) async {
        guard await engine.isResponsive() else { return }
        send(["READY=1", "MAINPID=\(getpid())"] + news(status()))
        let interval = min(watchdog?.interval ?? Self.statusInterval, Self.statusInterval)
        while true {
            do {
                try await Task.sleep(for: interval)
            } catch {
                return
            }
            guard await engine.isResponsive() else { return }
            let lines = (watchdog == nil ? [] : ["WATCHDOG=1"]) + news(status())
            if !lines.isEmpty { send(lines) }
        }
    }

    /// Says that the configuration is being read again; to be followed by ``reloaded()``.
    func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
        send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// Says that the configuration has been read again, or stays as it was.
    func reloaded() {
        send(["READY=1"])
    }

    /// Says that the service is about to end.
    func stopping() {
        send(["STOPPING=1", "STATUS=Stopping."])
    }

    /// The line about the status when it is another one than before.
    private func news(_ status: String) -> [String] {
        let isNew = state.withLock { state in
            defer { state.status = status }
            return state.status != status
        }
        return isNew ? ["STATUS=\(status)"] : []
    }

    private func send(_ lines: [String]) {
        do throws(NotifySocket.Problem) {
            try socket.send(lines.joined(separator: "\n"))
        } catch {
            // Once is enough: where nobody listens, nobody will.
            let isFirst = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            if isFirst { console.warning("The socket in NOTIFY_SOCKET was not told: \(error.reason).") }
        }
    }
}
