import FerryCore
import Synchronization

/// The one timer of a loop: it rings at the earliest moment for which it is set.
///
/// Moments are of the wall clock, which may be set, and the machine may be suspended. So it rings after ``longestSleep`` at the
/// latest, and the loop looks again.
final class Alarm: Sendable {
    /// The longest time until the clock is read again.
    static let longestSleep: Duration = .seconds(60)

    private let armed = Mutex<Instant?>(nil)

    /// Sets the alarm for a moment, unless it rings earlier anyway.
    ///
    /// - Returns: the moment at which it rings, for ``clear(_:)``, and how long to wait until then; `nil` when another
    ///   wait that ends soon enough is already in progress.
    func set(for moment: Instant, at now: Instant) -> (target: Instant, wait: Duration)? {
        let target = max(min(moment, now.advanced(by: Self.longestSleep)), now.advanced(by: .milliseconds(1)))
        let isArmed = armed.withLock { armed in
            if let earlier = armed, earlier > now, earlier <= target { return true }
            armed = target
            return false
        }
        return isArmed ? nil : (target, now.duration(to: target))
    }

    /// Notes that a wait has ended or was cancelled.
    func clear(_ target: Instant) {
        armed.withLock { if $0 == target { $0 = nil } }
    }

    /// Sets it for a moment, and waits in `group`, if necessary.
    ///
    /// - Parameter ring: called when the time has come, and not when the wait is cancelled.
    func set(
        for moment: Instant,
        by clock: any WallClock,
        in group: inout DiscardingTaskGroup,
        ring: @escaping @Sendable () -> Void
    ) {
        guard let (target, wait) = set(for: moment, at: clock.now) else { return }
        group.addTask {
            let hasCome = await clock.hasSlept(for: wait)
            self.clear(target)
            if hasCome { ring() }
        }
    }
}
