import FerryCore
import Synchronization

/// The rate limit of a whole engine, which changes with the time of day.
final class EngineRate: Sendable {
    private struct State {
        var schedule: RateSchedule
        /// The time of the next look; `nil` when no timer is set.
        var nextLook: Instant?
    }

    /// Maximum time between looks at the clock: it may be set, and the machine may be suspended.
    static let longestSleep: Duration = .seconds(60)

    /// The bucket that every transfer of the engine goes through.
    let bucket = SharedBucket()
    private let state: Mutex<State>

    init(_ schedule: RateSchedule) {
        state = Mutex(State(schedule: schedule))
    }

    /// Changes the schedule. It takes effect with the next ``look(at:offset:)``.
    func set(_ schedule: RateSchedule) {
        state.withLock { $0.schedule = schedule }
    }

    /// Applies the limit of this moment.
    ///
    /// - Parameter offset: how far local time is ahead of UTC.
    /// - Returns: how long to wait before the next look; `nil` when the limit will not change by itself, or another
    ///   call already waits.
    func look(at now: Instant, offset: Duration) -> Duration? {
        let moment = WeekTime(now, offset: offset)
        return state.withLock { state in
            bucket.set(state.schedule.limit(at: moment))
            guard let change = state.schedule.nextChange(after: moment) else { return nil }
            // A moment of the week is a whole second: the look may be up to a second late, but never early.
            let wait = min(change, Self.longestSleep)
            let next = now.advanced(by: wait)
            if let planned = state.nextLook, planned > now, planned <= next { return nil }
            state.nextLook = next
            return wait
        }
    }

    /// Notes that the wait for the next look was interrupted.
    func giveUpLook() {
        state.withLock { $0.nextLook = nil }
    }
}
