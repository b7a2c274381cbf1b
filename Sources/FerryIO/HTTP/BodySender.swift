internal import FerryCore
internal import NIOCore

/// Sends the body of one request part by part: the next one when the part before has reached the kernel and the rate limit
/// lets it. All methods run on the event loop.
final class BodySender {
    private enum State {
        /// The server is to ask for the body; the timer ends the wait. Exits: `ready`, `over`.
        case asking(Scheduled<Void>)
        /// The next part leaves as soon as it has been read. Exits: `inFlight`, `over`.
        case ready
        /// A part, or the end, is on its way to the kernel. Exits: `paused`, `over`.
        case inFlight
        /// The next part waits for its turn. Exits: `ready`, `over`.
        case paused
        /// All parts have left, or no more is wanted. Final.
        case over
    }

    private let feed: BodyFeed
    private let exchange: Exchange
    /// Holds this sender until it is over.
    private let connection: ConnectionHandler
    private let loop: NIOIsolatedEventLoop
    private var state = State.ready
    /// How many bytes the kernel has taken.
    private var sent: Int64 = 0
    private var portion = SendPortion()

    init(_ feed: BodyFeed, of exchange: Exchange, over connection: ConnectionHandler, on loop: any EventLoop)
    {
        (self.feed, self.exchange, self.connection) = (feed, exchange, connection)
        self.loop = loop.assumeIsolated()
    }

    /// Whether it is the peer's turn. The wait until it asks for the body has an end of its own.
    var awaitsPeer: Bool {
        if case .inFlight = state { true } else { false }
    }

    func begin(_ start: WireConnection.BodyStart) {
        guard case .onceAsked(let moment) = start else { return sendNext() }
        state = .asking(loop.scheduleTask(deadline: moment.deadline) { self.connection.stopWaiting() })
    }

    /// The server asks for the body, or has had its time to.
    func proceed() {
        if case .asking(let timer) = state { timer.cancel() }
        state = .ready
        sendNext()
        connection.flush()
    }

    /// Sends no more.
    func stop() {
        if case .asking(let timer) = state { timer.cancel() }
        state = .over
    }

    private func sendNext() {
        guard case .ready = state else { return }
        attempt {
            let next = try feed.next(upTo: exchange.pace.portion(of: portion.bytes)) { [weak self] in
                self?.sendNext()
                self?.connection.flush()
            }
            switch next {
            case .pending: break
            case .end: try end()
            case .part(let part): try send(part)
            }
        }
    }

    private func attempt(_ step: () throws -> Void) {
        do { try step() } catch { connection.fail(error) }
    }

    private func send(_ part: IOData) throws {
        let (count, start) = (part.readableBytes, NIODeadline.now())
        state = .inFlight
        // Keeps the file open until the kernel has taken what it was given of it.
        try connection.write(part) { [self] in wrote(count, in: .now() - start) }
    }

    private func end() throws {
        try feed.check()
        state = .inFlight
        try connection.endBody()
    }

    /// A part has reached the kernel.
    private func wrote(_ count: Int, in time: TimeAmount) {
        guard case .inFlight = state else { return }
        state = .paused
        sent += Int64(count)
        portion.took(time)
        connection.peerWatch.restart()
        exchange.sent(upTo: sent)
        if feed.isAtEnd {
            exchange.pace.count(count, on: connection.loop)
            return attempt { try end() }
        }
        let pause = exchange.pace.hold(count, on: connection.loop) { [weak exchange] in
            exchange?.isOver == false
        }
        // In a turn of its own: a fast receiver would keep the event loop from all other connections.
        guard let pause else { return loop.execute { self.resume() } }
        pause.assumeIsolated().whenComplete { _ in self.resume() }
    }

    private func resume() {
        guard case .paused = state else { return }
        proceed()
        connection.awaitPeer()
    }

    /// Looks at the file of a part that is on its way. Were it cut short, the kernel would find nothing to send, again and again.
    func check() {
        if case .inFlight = state { attempt { try feed.check() } }
    }
}
