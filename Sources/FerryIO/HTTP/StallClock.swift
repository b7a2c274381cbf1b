internal import NIOCore

/// The clock that measures whether a server is silent or too slow.
///
/// A test uses one that stands still, so that the machine's speed does not matter.
struct StallClock: Sendable {
    /// The present moment.
    let now: @Sendable () -> NIODeadline
    /// Runs a check on an event loop at a moment of this clock.
    let schedule: @Sendable (NIODeadline, any EventLoop, @escaping @Sendable () -> Void) -> Scheduled<Void>

    /// The clock of the machine.
    static let live = StallClock(
        now: { .now() },
        schedule: { deadline, loop, check in loop.scheduleTask(deadline: deadline, check) }
    )
}
