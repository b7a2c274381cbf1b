import FerryCore
import Synchronization

/// Records whether any byte of a request may have left this machine, over all of its redirects.
final class DepartureRecord: DepartureListener {
    private let state = Mutex(false)

    /// Whether a byte may have left.
    var hasLeft: Bool { state.withLock { $0 } }

    func requestMayLeave() { state.withLock { $0 = true } }
}
