internal import FerryCore
internal import NIOCore
internal import Synchronization

/// One request and its answer, between the task that asked and the connection that carries it.
///
/// The body is held back until the task asks for it. Bytes that arrive before the head is announced, or before the peer
/// closes, are kept: a transfer whose server sends a little and breaks off each time finishes only with these bytes.
final class Exchange: Sendable {
    /// A request got no answer, for this reason. ``SendPlan`` decides whether it is sent again.
    struct Unanswered: Error {
        let loss: ExchangeLoss
        let problem: Problem
        /// Whether the same would happen on any connection.
        var isFinal: Bool { problem.disposition == .permanent }
    }

    private enum Phase {
        /// Waiting for a connection, or for the answer. Exits: `held`, `failed`.
        case awaitingHead
        /// The head has arrived; the body is held back until a task asks for it. Exits: `flowing`, `sending`, `ended`, `failed`.
        case held(BodyFraming)
        /// The body goes to a consumer. Exits: `sending`, `ended`, `failed`.
        case flowing(any BodyConsumer, BodyFraming)
        /// No more of the answer is wanted, and the request's body is leaving. Exits: `ended`, `failed`.
        case sending
        /// The exchange was a success. Final.
        case ended
        /// No more of it will arrive. Final.
        case failed(any Error)
    }

    /// How a body ends that is still held back.
    private enum Ending {
        case whole
        case broken(any Error)
    }

    private enum Place {
        /// It has no connection and waits for none.
        case nowhere
        /// It waits for a connection; `cancel` ends the wait.
        case waiting(cancel: @Sendable () -> Void)
        /// A connection carries it.
        case on(LiveConnection)
        /// Its connection no longer serves it.
        case left
    }

    private struct State {
        var phase = Phase.awaitingHead
        var place = Place.nowhere
        /// Whether the request's body may still be leaving.
        var isSending = true
        var received: Int64 = 0
        /// The head, until the task that waits for it is told.
        var arrivedHead: ResponseHead?
        /// What has arrived of a body that is held back.
        var held: [ByteBuffer] = []
        var ending: Ending?
        var isTaken = false
        var loop: (any EventLoop)?

        /// Wants no more of the answer.
        mutating func endAnswer() {
            held = []
            phase = isSending ? .sending : .ended
        }

        /// Keeps a part of a body that is held back. Small ones are joined: each would keep a whole receive buffer (I9).
        mutating func hold(_ part: ByteBuffer) {
            guard let length = held.last?.readableBytes, length + part.readableBytes <= part.storageCapacity
            else { return held.append(part) }
            held[held.count - 1].writeImmutableBuffer(part)
        }

        /// Takes a body that is whole or broken off; `nil` if more may arrive.
        mutating func takeEnding() -> (parts: [ByteBuffer], ending: Ending)? {
            guard let ending else { return nil }
            defer { held = [] }
            switch ending {
            case .whole: phase = .ended
            case .broken(let error): phase = .failed(error)
            }
            return (held, ending)
        }
    }

    /// The head of the answer, or the failure of the exchange.
    let head = AwaitedResult<ResponseHead>()
    /// What is written to the connection, without the body.
    let message: WireRequest
    /// The body of the request.
    let requestBody: RequestBody
    /// Whether the answer comes over TLS.
    let isEncrypted: Bool
    /// The rate limit of the body.
    let pace: Pace
    /// How long the server may be silent, and how slow.
    let detector: StallDetector

    private let listener: (any ExchangeListener)?
    private let classifier: ProblemClassifier
    private let released = AwaitedResult<Void>()
    /// Resolves when no more of the request's body leaves; fails when it is cut short although the server may want it.
    private let bodyEnd = AwaitedResult<Void>()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - closes: whether the connection is to close behind the answer.
    ///   - mayExpect: whether a long body waits until the server asks for it.
    init(
        _ request: TransportRequest,
        over key: WireKey,
        closes: Bool = false,
        mayExpect: Bool = true
    ) {
        message = WireRequest(request, over: key.route, closes: closes, mayExpect: mayExpect)
        requestBody = request.body
        isEncrypted = key.tls != nil
        pace = request.pace
        detector = StallDetector(request.connection)
        listener = request.listener
        classifier = ProblemClassifier(request, over: key.route)
    }

    // MARK: - The caller's side

    /// Starts the flow of the body to `consumer`, which is told how it ends.
    ///
    /// - Throws: the failure of the exchange; ``Problem`` when the body was already taken.
    func take(_ consumer: some BodyConsumer) throws {
        let (whole, place, loop) = try state.withLock { state in
            if case .failed(let error) = state.phase { throw error }
            guard case .held = state.phase, !state.isTaken else {
                throw Problem.permanent(.internalFault, "The body of a response was requested twice.")
            }
            state.isTaken = true
            return (state.takeEnding(), state.place, state.loop)
        }
        if let whole, let loop {
            _ = pass(whole.parts, to: consumer, then: whole.ending, on: loop)
        } else if case .on(let connection) = place {
            connection.startFlow(of: self, to: consumer)
        }
    }

    /// Takes the body if all of it has arrived and it has at most `bound` bytes. Otherwise nothing changes.
    func takeWhole(upTo bound: Int) -> [UInt8]? {
        // Under a rate limit, no short body is awaited (``awaitsBody(upTo:)``): it is handed on as it comes.
        guard pace.isOff else { return nil }
        let parts = state.withLock { state -> [ByteBuffer]? in
            guard case .held = state.phase, !state.isTaken, case .whole? = state.ending,
                state.received <= Int64(bound)
            else { return nil }
            state.isTaken = true
            return state.takeEnding()?.parts
        }
        return parts.map { parts in
            var bytes: [UInt8] = []
            for part in parts { bytes += part.readableBytesView }
            return bytes
        }
    }

    /// The failure of a body that is longer than requested.
    var tooLong: Problem { classifier.tooLong }

    /// Whether nothing of the exchange is wanted any more.
    var isOver: Bool {
        state.withLock { state in
            switch state.phase {
            case .ended, .failed: true
            case .awaitingHead, .held, .flowing, .sending: false
            }
        }
    }

    /// How the end of the body is found, if it has not been received.
    var framing: BodyFraming? {
        state.withLock { state in
            switch state.phase {
            case .held(let framing), .flowing(_, let framing): framing
            case .awaitingHead, .sending, .ended, .failed: nil
            }
        }
    }

    /// Ends the exchange after its answer was handled. A small body that no one took is read, so that the connection can
    /// be used again, often for the next request of a redirect. Any other is cut off.
    ///
    /// A server may answer before it has read the request's body, which is sent to its end.
    ///
    /// - Throws: why the request's body was cut short. Then the answer is no success.
    func finish() async throws {
        let connection = state.withLock { state -> LiveConnection? in
            guard case .held = state.phase, !state.isTaken, state.ending == nil,
                case .on(let connection) = state.place
            else { return nil }
            state.endAnswer()
            return connection
        }
        connection?.drop(self)
        try await bodyEnd.value()
        if connection == nil { await abandon() } else { await release() }
    }

    /// Cuts the exchange off, unless it has ended, and waits until its connection no longer serves it.
    func abandon() async {
        fail(BodyNotWanted())
        if case .on = state.withLock({ $0.place }) { await release() }
    }

    private func release() async {
        do {
            try await released.value()
        } catch {
            // It never fails.
        }
    }

    /// Fails the exchange, unless it is over; its connection is closed.
    func fail(_ error: any Error) {
        let before = state.withLock { state -> (phase: Phase, place: Place)? in
            switch state.phase {
            case .ended, .failed: return nil
            case .awaitingHead, .held, .flowing, .sending: break
            }
            defer {
                state.phase = .failed(error)
                state.held = []
            }
            return (state.phase, state.place)
        }
        guard let before else { return }
        bodyEnd.resolve(.failure(error))
        switch before.phase {
        case .awaitingHead: head.resolve(.failure(error))
        // The head counts, also if it was not announced yet: it may tell what became of the request.
        case .held: announceHead()
        case .flowing(let consumer, _): consumer.fail(error)
        case .sending, .ended, .failed: break
        }
        switch before.place {
        case .waiting(let cancel): cancel()
        case .on(let connection): connection.abandon(self)
        case .nowhere, .left: break
        }
    }

    // MARK: - The pool's side

    /// Notes how to end its wait for a connection; returns whether it still wants one.
    func wait(cancel: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard case .awaitingHead = state.phase else { return false }
            state.place = .waiting(cancel: cancel)
            return true
        }
    }

    /// No connection could be opened.
    func fail(_ failure: OpeningFailure) { fail(classifier.problem(of: failure)) }

    // MARK: - The connection's side

    /// Notes the connection that is to carry the request; returns whether it is still wanted.
    func carry(by connection: LiveConnection) -> Bool {
        state.withLock { state in
            guard case .awaitingHead = state.phase else { return false }
            state.place = .on(connection)
            state.loop = connection.loop
            return true
        }
    }

    /// Reports the connection that carries the request.
    func report(_ connection: () -> ConnectionFacts) { listener?.carried(by: connection) }

    /// The first byte of the request may leave from now on.
    func depart() { listener?.requestMayLeave() }

    /// The connection no longer serves the exchange.
    func leave() {
        state.withLock { $0.place = .left }
        letGo()
        announceHead()
    }

    /// Nothing of the exchange is left to wait for.
    func letGo() { released.resolve(.success(())) }

    /// The request cannot be written.
    func refuse(_ fault: RequestFault) { fail(classifier.problem(of: fault)) }

    /// The connection was lost before the end of the answer.
    ///
    /// - Parameter breakage: what broke it; `nil` for an orderly end.
    func lose(_ loss: ExchangeLoss, because breakage: (any Error)?) {
        let (received, framing) = state.withLock { state -> (Int64?, BodyFraming?) in
            switch state.phase {
            case .held(let framing), .flowing(_, let framing): (state.received, framing)
            case .awaitingHead, .sending, .ended, .failed: (nil, nil)
            }
        }
        let problem = classifier.problem(of: loss, because: breakage, received: received, framing: framing)
        let phase = state.withLock { state in
            let phase = state.phase
            switch phase {
            case .awaitingHead, .flowing, .sending: state.phase = .failed(problem)
            case .held: state.ending = .broken(problem)
            case .ended, .failed: break
            }
            return phase
        }
        bodyEnd.resolve(.failure(problem))
        switch phase {
        case .awaitingHead: head.resolve(.failure(Unanswered(loss: loss, problem: problem)))
        case .flowing(let consumer, _): consumer.breakOff(problem)
        case .held, .sending, .ended, .failed: break
        }
    }

    /// The head has arrived; ``announceHead()`` or ``leave()`` tells the task. Returns whether the answer is wanted.
    func receive(_ head: ResponseHead, _ framing: BodyFraming) -> Bool {
        if let refusal = classifier.refusal(by: head.status) {
            fail(refusal)
            return false
        }
        return state.withLock { state in
            guard case .awaitingHead = state.phase else { return false }
            state.phase = .held(framing)
            state.arrivedHead = head
            return true
        }
    }

    /// Whether a held body of up to `limit` bytes is still to come, at any speed.
    func awaitsBody(upTo limit: Int) -> Bool {
        guard pace.isOff else { return false }
        return state.withLock { state in
            guard case .held(.length(let length)) = state.phase else { return false }
            return length <= Int64(limit)
        }
    }

    /// Tells the task of the head, once everything that arrived with it is noted.
    func announceHead() {
        let arrived = state.withLock { state in
            defer { state.arrivedHead = nil }
            return state.arrivedHead
        }
        if let arrived { head.resolve(.success(arrived)) }
    }

    /// A part of the body has arrived.
    ///
    /// - Returns: what is wanted next; `nil` when the body is held back.
    func receive(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand? {
        let phase = state.withLock { state in
            state.received += Int64(part.readableBytes)
            if case .held = state.phase { state.hold(part) }
            return state.phase
        }
        if case .flowing(let consumer, _) = phase {
            return hand(part, counting: part.readableBytes, to: consumer, on: loop)
        }
        // It counts, although it may be dropped, or handed on when no connection is left to hold back.
        pace.count(part.readableBytes, on: loop)
        if case .held = phase { return nil }
        return .never(BodyNotWanted())
    }

    /// The answer is whole.
    func end() {
        endBody()
        let consumer = state.withLock { state -> (any BodyConsumer)? in
            switch state.phase {
            case .held:
                state.ending = .whole
                return nil
            case .flowing(let consumer, _):
                state.phase = .ended
                return consumer
            case .awaitingHead, .sending, .ended, .failed:
                return nil
            }
        }
        consumer?.end()
    }

    /// Passes the bytes that have arrived, and all later ones, to a consumer.
    ///
    /// - Returns: what the consumer wants next.
    func startFlow(to consumer: any BodyConsumer, on loop: any EventLoop) -> [BodyDemand] {
        let (parts, ending, error) = state.withLock { state -> ([ByteBuffer], Ending?, (any Error)?) in
            if let whole = state.takeEnding() { return (whole.parts, whole.ending, nil) }
            switch state.phase {
            case .held(let framing):
                defer { state.held = [] }
                state.phase = .flowing(consumer, framing)
                return (state.held, nil, nil)
            case .failed(let error): return ([], nil, error)
            case .awaitingHead, .flowing, .sending, .ended: return ([], nil, BodyNotWanted())
            }
        }
        if let error { consumer.fail(error) }
        return pass(parts, to: consumer, then: ending, on: loop)
    }

    /// Hands on parts that have arrived and were counted, and how the body ends if that is known.
    private func pass(
        _ parts: [ByteBuffer],
        to consumer: any BodyConsumer,
        then ending: Ending?,
        on loop: any EventLoop
    ) -> [BodyDemand] {
        var demands: [BodyDemand] = []
        for part in parts {
            // Without a connection there is nothing to hold back.
            let demand =
                ending == nil
                ? hand(part, counting: 0, to: consumer, on: loop) : consumer.accept(part, on: loop)
            demands.append(demand)
            switch demand {
            case .more, .later: break
            case .enough: return demands
            case .never(let error):
                consumer.fail(error)
                return demands
            }
        }
        switch ending {
        case .whole?: consumer.end()
        case .broken(let error)?: consumer.breakOff(error)
        case nil: break
        }
        return demands
    }

    /// Hands a part on while the connection can be held back.
    ///
    /// - Parameter count: how many of its bytes are not counted yet.
    private func hand(
        _ part: ByteBuffer,
        counting count: Int,
        to consumer: any BodyConsumer,
        on loop: any EventLoop
    ) -> BodyDemand {
        let pause = pace.hold(count, on: loop) { [weak self] in self?.isFlowing ?? false }
        return heed(consumer.accept(part, on: loop).delayed(by: pause))
    }

    private func heed(_ demand: BodyDemand) -> BodyDemand {
        switch demand {
        case .more, .later: break
        case .enough: state.withLock { $0.endAnswer() }
        case .never(let error): fail(error)
        }
        return demand
    }

    private var isFlowing: Bool {
        state.withLock { state in
            if case .flowing = state.phase { true } else { false }
        }
    }

    // MARK: - The request's body, and the server's time

    /// The server is silent or too slow.
    func fail(_ verdict: StallDetector.Verdict) { fail(classifier.problem(of: verdict)) }

    /// The kernel has taken this many bytes of the request's body.
    func sent(upTo count: Int64) { listener?.bodyLeft(upTo: count) }

    /// No more of the request's body leaves: all of it has left, or the server wants no more.
    func endBody() {
        state.withLock { state in
            state.isSending = false
            if case .sending = state.phase { state.endAnswer() }
        }
        bodyEnd.resolve(.success(()))
    }

    /// An interim answer has arrived.
    func receive(interim head: ResponseHead) { listener?.received(interim: head) }
}
