import Dispatch
import Glibc
import Synchronization

/// The longest that a service takes to stop.
///
/// A disk that hangs may keep a checkpoint from ending. What is recorded is safe even so: whoever takes over what a
/// process held when it ended goes on from there.
final class StopDeadline: Sendable {
    /// How long checkpoints may take; the service manager would wait much longer, and then kill.
    static let limit: DispatchTimeInterval = .seconds(5)

    /// Dispatch objects may be used from every thread, though their protocol does not say so.
    private nonisolated(unsafe) let timer: any DispatchSourceTimer

    /// A deadline that has not begun. `expired` is called on a thread of its own kind, as all others may be stuck.
    init(expired: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "ferry.deadline"))
        timer.setEventHandler(handler: expired)
        timer.schedule(deadline: .distantFuture)
        timer.activate()
    }

    /// The time begins.
    func begin() {
        timer.schedule(deadline: .now() + Self.limit)
    }

    /// All is done in time.
    func cancel() {
        timer.cancel()
    }
}
