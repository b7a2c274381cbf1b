import FerryCore
import Synchronization

/// Whether anything of a request may have left this machine, over all of its redirects.
final class DepartureRecord: DepartureListener {
    private let state = Mutex(false)

    /// Whether something may have left.
    var hasLeft: Bool { state.withLock { $0 } }

    func requestMayLeave() { state.withLock { $0 = true } }
}
