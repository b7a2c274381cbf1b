import FerryCore
import Synchronization

/// The rate limit of a whole engine, which changes with the time of day.
final class EngineRate: Sendable {
    /// Maximum time between looks at the clock: it may be set, and the machine may be suspended.
    static let longestSleep: Duration = .seconds(60)

    /// The bucket that every transfer of the engine goes through.
    let bucket = SharedBucket()
    private let schedule: Mutex<RateSchedule>

    init(_ schedule: RateSchedule) {
        self.schedule = Mutex(schedule)
    }

    /// Changes the schedule. It takes effect with the next ``look(at:offset:)``.
    func set(_ schedule: RateSchedule) {
        self.schedule.withLock { $0 = schedule }
    }

    /// Applies the limit of this moment.
    ///
    /// - Parameter offset: how far local time is ahead of UTC.
    /// - Returns: when to look next; `nil` when the limit will not change by itself.
    @discardableResult
    func look(at now: Instant, offset: Duration) -> Instant? {
        let moment = WeekTime(now, offset: offset)
        return schedule.withLock { schedule in
            bucket.set(schedule.limit(at: moment))
            guard let change = schedule.nextChange(after: moment) else { return nil }
            // A moment of the week is a whole second: the look may be up to a second late, but never early.
            return now.advanced(by: min(change, Self.longestSleep))
        }
    }
}
