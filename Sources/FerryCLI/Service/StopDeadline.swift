import Dispatch
import Glibc
import Synchronization

/// The time limit for a service to stop.
///
/// A hanging disk may keep a record from ending. Recorded progress is still safe: the process that takes over
/// resumes from it.
final class StopDeadline: Sendable {
    /// Time limit for the last records. The service manager would wait much longer, and then kill.
    static let limit: DispatchTimeInterval = .seconds(5)

    /// Dispatch objects may be used from every thread, although their protocol does not say so.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// Creates a deadline that has not begun. Calls `expired` on its own queue, because all other threads may be stuck.
    init(expired: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ferry.deadline"))
        timer.setEventHandler(handler: expired)
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    /// Starts the time limit.
    func begin() {
        timer.schedule(deadline: .now() + Self.limit)
    }

    /// Cancels the deadline.
    func cancel() {
        timer.cancel()
    }
}
