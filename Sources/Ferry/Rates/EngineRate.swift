import FerryCore
import Synchronization

/// The limit that holds for all that an engine runs together, as it changes with the time of day.
final class EngineRate: Sendable {
    private struct State {
        var schedule: RateSchedule
        /// When the limit is looked at again; `nil` when no timer is set for that.
        var nextLook: Instant?
    }

    /// The longest time until the clock is looked at again: it may be set, and the machine may be suspended.
    static let longestSleep: Duration = .seconds(60)

    /// What every transfer of the engine goes through.
    let bucket = SharedBucket()
    private let state: Mutex<State>

    init(_ schedule: RateSchedule) {
        state = Mutex(State(schedule: schedule))
    }

    /// Changes the schedule; it comes into force with the next ``look(at:offset:)``.
    func set(_ schedule: RateSchedule) {
        state.withLock { $0.schedule = schedule }
    }

    /// Lets the limit of this moment hold.
    ///
    /// - Parameter offset: how far the clocks on the wall are ahead of UTC.
    /// - Returns: how long to wait before the next look; `nil` when nothing will change by itself, or when somebody
    ///   waits already.
    func look(at now: Instant, offset: Duration) -> Duration? {
        let moment = WeekTime(now, offset: offset)
        return state.withLock { state in
            bucket.set(state.schedule.limit(at: moment))
            guard let change = state.schedule.nextChange(after: moment) else { return nil }
            // A moment of the week is a whole second, so the look may come a part of one late, but never early.
            let wait = min(change, Self.longestSleep)
            let next = now.advanced(by: wait)
            if let planned = state.nextLook, planned > now, planned <= next { return nil }
            state.nextLook = next
            return wait
        }
    }

    /// The wait for the next look was broken off.
    func giveUpLook() {
        state.withLock { $0.nextLook = nil }
    }
}
