import FerryCore
import Synchronization

/// The time windows of running transfers, and when the next one closes.
final class WindowWatch: Sendable {
    private struct State {
        /// The windows of running transfers that close at some time.
        var windows: [TransferID: TimeWindow] = [:]
        /// The time of the next look; `nil` when no timer is set.
        var nextLook: Instant?
    }

    /// The result of a look.
    struct Look: Sendable {
        /// Transfers whose window is closed.
        var closed: Set<TransferID>
        /// How long to wait before the next look; `nil` when no window is noted, or another call already waits.
        var next: Duration?
    }

    /// Maximum time between looks at the clock: it may be set, and the machine may be suspended.
    static let longestSleep: Duration = .seconds(60)

    private let state = Mutex(State())

    /// Notes the window of a running transfer.
    ///
    /// - Returns: whether the window has changed.
    func set(_ window: TimeWindow, of id: TransferID) -> Bool {
        state.withLock { state in
            guard state.windows[id] ?? .always != window else { return false }
            state.windows[id] = window == .always ? nil : window
            return true
        }
    }

    /// Notes that a transfer no longer runs.
    func forget(_ id: TransferID) {
        state.withLock { _ = $0.windows.removeValue(forKey: id) }
    }

    /// Finds the transfers whose window is closed, and when the next window closes.
    ///
    /// - Parameter running: the running transfers; the windows of others are forgotten.
    func look(at now: Instant, in local: LocalTime, among running: Set<TransferID>) -> Look {
        state.withLock { state in
            // An attempt may have ended while its orders were read.
            state.windows = state.windows.filter { running.contains($0.key) }
            var look = Look(closed: [])
            guard !state.windows.isEmpty else { return look }
            var next = now.advanced(by: Self.longestSleep)
            for (id, window) in state.windows {
                if let closes = window.closing(after: now, in: local) {
                    next = min(next, closes)
                } else if !window.isOpen(at: now, in: local) {
                    look.closed.insert(id)
                }
            }
            if let planned = state.nextLook, planned > now, planned <= next { return look }
            state.nextLook = next
            look.next = now.duration(to: next)
            return look
        }
    }

    /// Notes that the wait for the next look was interrupted.
    func giveUpLook() {
        state.withLock { $0.nextLook = nil }
    }
}
