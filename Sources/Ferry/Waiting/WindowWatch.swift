import FerryCore
import Synchronization

/// The time windows of running transfers, and when the next one closes.
final class WindowWatch: Sendable {
    /// The result of a look.
    struct Look: Sendable {
        /// Transfers whose window is closed.
        var closed: Set<TransferID>
        /// When to look next; `nil` when no window is noted.
        var next: Instant?
    }

    private static let never = Instant(milliseconds: .max)

    /// The windows of running transfers that close at some time.
    private let windows = Mutex<[TransferID: TimeWindow]>([:])

    /// Notes the window of a running transfer.
    ///
    /// - Returns: whether the window has changed.
    func set(_ window: TimeWindow, of id: TransferID) -> Bool {
        windows.withLock { windows in
            guard windows[id] ?? .always != window else { return false }
            windows[id] = window == .always ? nil : window
            return true
        }
    }

    /// Notes that a transfer no longer runs.
    func forget(_ id: TransferID) {
        windows.withLock { _ = $0.removeValue(forKey: id) }
    }

    /// Finds the transfers whose window is closed, and when the next window closes.
    ///
    /// - Parameter running: the running transfers; the windows of others are forgotten.
    func look(at now: Instant, in local: LocalTime, among running: Set<TransferID>) -> Look {
        windows.withLock { windows in
            // An attempt may have ended while its orders were read.
            windows = windows.filter { running.contains($0.key) }
            var look = Look(closed: [])
            for (id, window) in windows {
                let closes = window.closing(after: now, in: local)
                if closes == nil, !window.isOpen(at: now, in: local) { look.closed.insert(id) }
                // The clock may be set, and the machine may be suspended.
                let next = min(closes ?? Self.never, now.advanced(by: Alarm.longestSleep))
                look.next = min(look.next ?? Self.never, next)
            }
            return look
        }
    }
}
