import FerryCore
import Synchronization

/// The rate limit of a whole engine, which changes with the time of day.
final class EngineRate: Sendable {
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
    /// - Returns: when the limit changes next; `nil` when it will not change by itself.
    @discardableResult
    func look(at now: Instant, offset: Duration) -> Instant? {
        let moment = WeekTime(now, offset: offset)
        return schedule.withLock { schedule in
            bucket.set(schedule.limit(at: moment))
            // A moment of the week is a whole second: the look may be up to a second late, but never early.
            return schedule.nextChange(after: moment).map { now.advanced(by: $0) }
        }
    }
}
