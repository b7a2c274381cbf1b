internal import FerryCore
internal import NIOCore
internal import Synchronization

/// Judges the server of one exchange while it is the server's turn.
///
/// A server that receives a request's body is silent, and on a slow network the kernel may hold megabytes that the server
/// has not received. As long as it takes some of them, its time begins anew. For this the watch looks at the connection once
/// a second at most, however many parts the body has.
final class PeerWatch: Sendable {
    /// Time between two looks at a body on its way.
    private static let pause = TimeAmount.seconds(1)

    /// How much of the request's body is on its way.
    private enum Sending {
        /// The server may still have to take bytes. `left` is how many it had not acknowledged at the last look in this wait.
        case underWay(left: Int?)
        /// There is no body, or the server has taken all of it.
        case over
    }

    private struct State {
        var detector: StallDetector
        var sending: Sending
        /// The next judgement.
        var timer: Scheduled<Void>?
        var isOver = false

        /// Forgets the time waited so far.
        mutating func restart() {
            detector.restart()
            if case .underWay = sending { sending = .underWay(left: nil) }
        }

        /// Notes how many bytes the server has not acknowledged. Without an earlier look it may have taken some.
        mutating func note(left: Int?, at now: NIODeadline) {
            guard case .underWay(let before) = sending else { return }
            if left ?? 0 < before ?? .max { detector.extend(from: now) }
            sending = left.map { .underWay(left: $0) } ?? .over
        }
    }

    private let clock: StallClock
    private let state: Mutex<State>

    /// - Parameter sendsBody: whether the request has a body.
    init(_ options: ConnectionOptions, sendsBody: Bool, clock: StallClock) {
        self.clock = clock
        let sending = sendsBody ? Sending.underWay(left: nil) : .over
        state = Mutex(State(detector: StallDetector(options), sending: sending))
    }

    /// It is the server's turn, so its time counts. It does not count while the server is held back, or a pace pauses it.
    func wait(in exchange: Exchange, on loop: any EventLoop) {
        let now = clock.now()
        state.withLock { state in
            guard !state.isOver else { return }
            state.detector.wait(from: now)
            if state.timer == nil { schedule(&state, exchange, loop, now) }
        }
    }

    /// The server has done something. It is not judged until it is its turn again.
    func restart() { state.withLock { $0.restart() } }

    /// The server has sent bytes of a body.
    func received(_ count: Int) {
        let now = clock.now()
        state.withLock { $0.detector.received(count, at: now) }
    }

    /// Judges the server no more.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// Judges the server, after a look at the body on its way.
    private func judge(_ exchange: Exchange, on loop: any EventLoop) {
        let isSending = state.withLock { state in
            guard !state.isOver, case .underWay = state.sending else { return false }
            return true
        }
        if isSending { exchange.checkBody() }
        let left = isSending ? exchange.unacknowledgedBytes : nil
        let now = clock.now()
        let verdict = state.withLock { state -> StallDetector.Verdict? in
            state.timer = nil
            guard !state.isOver else { return nil }
            if isSending { state.note(left: left, at: now) }
            if let verdict = state.detector.check(at: now) { return verdict }
            schedule(&state, exchange, loop, now)
            return nil
        }
        if let verdict { exchange.fail(verdict) }
    }

    /// Sets the timer to the moment of the earliest verdict, or of the next look.
    private func schedule(
        _ state: inout State,
        _ exchange: Exchange,
        _ loop: any EventLoop,
        _ now: NIODeadline
    ) {
        var moments = [state.detector.nextCheck(after: now)].compactMap(\.self)
        if case .underWay = state.sending { moments.append(now + Self.pause) }
        state.timer = moments.min().map { moment in
            clock.schedule(moment, loop) { [weak self, weak exchange] in
                if let exchange { self?.judge(exchange, on: loop) }
            }
        }
    }
}
