import Synchronization

/// One connection's path: its present peer, which a redirect changes, and orders to cut it.
final class Passage: Sendable {
    /// An event on the path.
    enum Event: Hashable, Sendable {
        /// A connection is about to be made to this host.
        case heading(String)
        /// Its route has changed.
        case cut
        /// The process or the machine stood still, and did not keep the connection alive.
        case abandoned
    }

    /// The connection's number, in the order in which connections began.
    let number: Int
    let events: AsyncStream<Event>
    private let happening: AsyncStream<Event>.Continuation
    private let latest = Mutex<String?>(nil)

    /// Whether the connection's request may be sent again on another connection. A request that may not be repeated
    /// waits for its answer, which may have arrived while the process stood still.
    private let isReplaceable: Bool

    init(number: Int, isReplaceable: Bool) {
        self.number = number
        self.isReplaceable = isReplaceable
        (events, happening) = AsyncStream.makeStream()
    }

    /// The peer of the latest connection.
    var host: String? { latest.withLock { $0 } }

    /// Notes that a connection is about to be made.
    func head(to host: String) {
        latest.withLock { $0 = host }
        happening.yield(.heading(host))
    }

    /// Cuts the connection because its route is gone.
    func cut() { happening.yield(.cut) }

    /// Cuts the connection although its route may be intact, if it can be replaced.
    func abandon() { if isReplaceable { happening.yield(.abandoned) } }
}
