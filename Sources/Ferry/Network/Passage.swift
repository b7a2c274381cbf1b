import Synchronization

/// What is known of one connection's way: whom it is made to, which a redirect changes, and whether it is to be cut.
final class Passage: Sendable {
    /// What happens to it.
    enum Event: Hashable, Sendable {
        /// A connection is about to be made to this host.
        case heading(String)
        /// It does not go the way it did any more.
        case cut
        /// Nobody was there to keep it up, as the process or the machine stood still.
        case abandoned
    }

    /// Which one it is, in the order in which they began.
    let number: Int
    let events: AsyncStream<Event>
    private let happening: AsyncStream<Event>.Continuation
    private let latest = Mutex<String?>(nil)

    init(number: Int) {
        self.number = number
        (events, happening) = AsyncStream.makeStream()
    }

    /// Whom the latest connection was made to.
    var host: String? { latest.withLock { $0 } }

    /// A connection is about to be made.
    func head(to host: String) {
        latest.withLock { $0 = host }
        happening.yield(.heading(host))
    }

    /// It is to be cut.
    func cut() { happening.yield(.cut) }

    /// It is to be cut, though its way may be as good as ever.
    func abandon() { happening.yield(.abandoned) }
}
