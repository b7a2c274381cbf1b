import FerryCore
import Synchronization

/// The time windows of what runs here, and when the next of them closes.
final class WindowWatch: Sendable {
    private struct State {
        /// Of those running transfers whose window closes one day.
        var windows: [TransferID: TimeWindow] = [:]
        /// When they are looked at again; `nil` when no timer is set for that.
        var nextLook: Instant?
    }

    /// What a look has found.
    struct Look: Sendable {
        /// Those whose window is closed.
        var closed: Set<TransferID>
        /// How long to wait before the next look; `nil` when there is nothing to look at, or when somebody waits already.
        var next: Duration?
    }

    /// The longest time until the clock is looked at again: it may be set, and the machine may be suspended.
    static let longestSleep: Duration = .seconds(60)

    private let state = Mutex(State())

    /// Notes the window of a running transfer.
    ///
    /// - Returns: whether that is another one than it was.
    func set(_ window: TimeWindow, of id: TransferID) -> Bool {
        state.withLock { state in
            guard state.windows[id] ?? .always != window else { return false }
            state.windows[id] = window == .always ? nil : window
            return true
        }
    }

    /// A transfer does not run any more.
    func forget(_ id: TransferID) {
        state.withLock { _ = $0.windows.removeValue(forKey: id) }
    }

    /// Finds those whose window is closed, and when the next one closes.
    ///
    /// - Parameter running: what runs; of anything else it forgets the window.
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

    /// The wait for the next look was broken off.
    func giveUpLook() {
        state.withLock { $0.nextLook = nil }
    }
}
