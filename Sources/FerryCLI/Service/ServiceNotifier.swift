import Ferry
import FerryFrontend
import Glibc
import Synchronization

/// Reports the state of a service to its manager.
///
/// Every sign of life is sent after a whole round of the engine's loop. So a stuck engine is silent, and the manager's
/// watchdog ends it.
final class ServiceNotifier: Sendable {
    private struct State {
        var status = ""
        var hasWarned = false
    }

    /// Maximum interval between status updates.
    static let statusInterval: Duration = .seconds(5)

    private let socket: NotifySocket
    private let watchdog: Watchdog?
    private let console: Console
    private let state = Mutex(State())

    /// Creates a notifier if the environment names a socket.
    init?(_ environment: ProcessEnvironment, console: Console) {
        guard let socket = NotifySocket(environment) else { return nil }
        self.socket = socket
        self.console = console
        watchdog = Watchdog(environment)
    }

    /// Reports that the service is ready, and then that it is alive, until the engine has ended.
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

    /// Reports that the configuration is being read again; ``reloaded()`` must follow.
    func reloading() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
        send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"])
    }

    /// Reports that the configuration was read, or stays as it was.
    func reloaded() {
        send(["READY=1"])
    }

    /// Reports that the service is about to end.
    func stopping() {
        send(["STOPPING=1", "STATUS=Stopping."])
    }

    /// The status line if it has changed.
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
            // Warns once: a socket that cannot be reached stays unreachable.
            let isFirst = state.withLock { state in
                defer { state.hasWarned = true }
                return !state.hasWarned
            }
            if isFirst { console.warning("The socket in NOTIFY_SOCKET cannot be used: \(error.reason).") }
        }
    }
}
