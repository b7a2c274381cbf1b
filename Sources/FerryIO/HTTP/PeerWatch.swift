internal import FerryCore
internal import NIOCore

/// Judges the peer of one connection while it is the peer's turn. All methods run on the event loop.
///
/// A server that receives a request's body is silent, and on a slow network the kernel may hold megabytes that the server
/// has not received. As long as it takes some of them, its time begins anew. For this the watch looks at the connection once
/// a second at most, however many parts the body has.
///
/// A timer for each request would nearly always be cancelled. So the timer of a connection stays set while requests come and
/// go, and the watch computes the next moment when it fires.
final class PeerWatch {
    /// Time between two looks at a body on its way.
    private static let pause = TimeAmount.seconds(1)

    /// How much of the request's body is on its way.
    private enum Sending {
        /// The server may still have to take bytes. `left` is how many it had not acknowledged at the last look in this wait.
        case underWay(left: Int?)
        /// There is no body, or the server has taken all of it.
        case over
    }

    /// A request under way.
    private struct Turn {
        let exchange: Exchange
        let connection: ConnectionHandler
        var detector: StallDetector
        var sending: Sending

        var isSending: Bool {
            if case .underWay = sending { true } else { false }
        }

        /// Notes how many bytes the server has not acknowledged. Without an earlier look it may have taken some.
        mutating func note(left: Int?, at now: NIODeadline) {
            guard case .underWay(let before) = sending else { return }
            if left ?? 0 < before ?? .max { detector.extend(from: now) }
            sending = left.map { .underWay(left: $0) } ?? .over
        }

        /// The moment of the earliest verdict, or of the next look.
        func next(after now: NIODeadline) -> NIODeadline? {
            let verdict = detector.nextCheck(after: now)
            guard isSending else { return verdict }
            return min(verdict ?? .distantFuture, now + PeerWatch.pause)
        }
    }

    private let clock: StallClock
    private let loop: any EventLoop
    /// Holds the connection until the request is over.
    private var turn: Turn?
    private var timer: (moment: NIODeadline, task: Scheduled<Void>)?

    init(on loop: any EventLoop, clock: StallClock) {
        (self.loop, self.clock) = (loop, clock)
    }

    /// A request begins. It is not judged until it is the peer's turn.
    func begin(_ exchange: Exchange, over connection: ConnectionHandler) {
        turn = Turn(
            exchange: exchange,
            connection: connection,
            detector: exchange.detector,
            sending: exchange.requestBody.length == 0 ? .over : .underWay(left: nil)
        )
    }

    /// It is the peer's turn, so its time counts. It does not count while the peer is held back, or a pace pauses it.
    func wait() {
        guard turn != nil else { return }
        let now = clock.now()
        turn?.detector.wait(from: now)
        setTimer(at: now)
    }

    /// The peer has done something. It is not judged until it is its turn again.
    func restart() {
        guard let turn else { return }
        self.turn?.detector.restart()
        if turn.isSending { self.turn?.sending = .underWay(left: nil) }
    }

    /// The peer has sent bytes of a body.
    func received(_ count: Int) {
        turn?.detector.received(count, at: clock.now())
    }

    /// The request is over.
    func end() { turn = nil }

    /// The connection is closed.
    func close() {
        end()
        timer?.task.cancel()
        timer = nil
    }

    /// Judges the peer, after a look at the body on its way.
    private func judge() {
        timer = nil
        // The rest of an answer that is not wanted has a limit of its own.
        guard let turn, !turn.exchange.isOver else { return }
        if turn.isSending { turn.connection.checkBody() }
        let left = turn.isSending ? turn.connection.unacknowledgedBytes : nil
        let now = clock.now()
        self.turn?.note(left: left, at: now)
        if let verdict = self.turn?.detector.check(at: now) { return turn.exchange.fail(verdict) }
        setTimer(at: now)
    }

    /// Sets the timer, unless it fires before that moment already.
    private func setTimer(at now: NIODeadline) {
        guard let moment = turn?.next(after: now), moment < timer?.moment ?? .distantFuture else { return }
        timer?.task.cancel()
        let task = clock.schedule(moment, loop) { [bound = NIOLoopBound(self, eventLoop: loop)] in
            bound.value.judge()
        }
        timer = (moment, task)
    }
}
