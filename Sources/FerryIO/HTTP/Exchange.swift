internal import AsyncHTTPClient
internal import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request and its response, as AsyncHTTPClient reports it.
///
/// The future that each delegate method returns is the back-pressure: AsyncHTTPClient reads no more from the
/// socket until it completes. For the head, that future is held back until the body is requested.
///
/// When a connection breaks, AsyncHTTPClient discards received bytes that it has not delivered. If a server
/// sends a little and breaks off each time, those are all there is, and the transfer would never finish. So
/// ``ConnectionGuard`` shows each passing part to the exchange, which delivers the remaining parts itself.
final class Exchange: HTTPClientResponseDelegate, Sendable {
    typealias Response = Void

    private enum Phase {
        /// Connecting, or waiting for the server's answer. Exits: `held`, `failed`.
        case awaitingHead
        /// The head has arrived; the promise holds the body back. Exits: `flowing`, `severed`, `failed`.
        case held(ResponseFraming, EventLoopPromise<Void>)
        /// The connection broke while the body was held back; these parts had arrived. Exits: `failed`.
        case severed(CircularBuffer<ByteBuffer>, any Error)
        /// The body goes to a consumer. Exits: `ended`, `failed`.
        case flowing(any BodyConsumer, ResponseFraming)
        /// The whole response was received. Final.
        case ended
        /// No more of it will arrive. Final.
        case failed(any Error)
    }

    /// The state of the connection that carries a request.
    enum Carrier: Sendable {
        /// The request has not reached a connection.
        case none
        /// It is the first request of its connection.
        case fresh
        /// The connection was used before; it may have been closed before the request arrived.
        case reused
        /// An interim response has arrived.
        case answering
    }

    private struct State {
        var phase = Phase.awaitingHead
        var carrier = Carrier.none
        var stall: StallDetector
        var received: Int64 = 0
        /// Parts that arrived from the network and are not delivered.
        var undelivered = CircularBuffer<ByteBuffer>()
        var timer: Scheduled<Void>?
        /// Set when the request has been handed over; an earlier failure is kept for it.
        var task: HTTPClient.Task<Void>?

        /// Stops judging the server.
        mutating func endWatch() {
            timer?.cancel()
            timer = nil
        }
    }

    /// The head of the response, or why there is none.
    let head = Outcome<ResponseHead>()

    /// The host that the connection's certificate must be for; `nil` if none is required.
    let verifiedHost: String?

    /// Whether the response comes over TLS.
    let isEncrypted: Bool

    /// The rate limit of the body.
    let pace: Pace

    private let method: HTTPRequest.Method
    /// Whether the request may be sent again when its connection turns out to be closed.
    private let isRepeatable: Bool
    private let departure: Departure?
    private let classifier: ProblemClassifier
    private let clock: StallClock
    private let state: Mutex<State>

    init(_ request: TransportRequest, route: Route, clock: StallClock = .live) {
        self.clock = clock
        isEncrypted = request.url.scheme == .https
        let isVerified = isEncrypted && !request.connection.trustsAnyCertificate
        verifiedHost = isVerified ? request.url.host : nil
        pace = request.pace
        method = request.method
        departure = request.departure
        isRepeatable = !route.client.isSingleUse && [.get, .head].contains(request.method)
        classifier = ProblemClassifier(request, route: route)
        state = Mutex(State(stall: StallDetector(request.connection)))
    }

    // MARK: - The caller's side

    /// Stores the running request; cancels it if the exchange has failed meanwhile.
    func begin(_ task: HTTPClient.Task<Void>) {
        let hasFailed = state.withLock { state in
            state.task = task
            if case .failed = state.phase { return true }
            return false
        }
        if hasFailed { task.cancel() }
    }

    /// Starts the flow of the body to `consumer`, which is told how it ends.
    ///
    /// - Throws: the failure of the exchange; ``Problem`` when the body was already taken.
    func take(_ consumer: some BodyConsumer) throws {
        let (phase, loop) = try state.withLock { state -> (Phase, (any EventLoop)?) in
            let phase = state.phase
            switch phase {
            case .held(let framing, _):
                state.phase = .flowing(consumer, framing)
                state.stall.wait(from: clock.now())
            case .severed(_, let error):
                state.phase = .failed(error)
            case .failed(let error):
                throw error
            case .awaitingHead, .flowing, .ended:
                throw Problem.permanent(.internalFault, "The body of a response was requested twice.")
            }
            return (phase, state.task?.eventLoop)
        }
        switch phase {
        case .held(_, let promise): promise.succeed()
        case .severed(let parts, let error): deliver(parts, to: consumer, then: error, on: loop)
        case .awaitingHead, .flowing, .ended, .failed: break
        }
    }

    /// Delivers the last parts of a body whose connection broke. All at once: they are already in memory, and
    /// no connection is left to hold back.
    private func deliver(
        _ parts: CircularBuffer<ByteBuffer>,
        to consumer: any BodyConsumer,
        then error: any Error,
        on loop: (any EventLoop)?
    ) {
        if let loop {
            for part in parts {
                pace.count(part.readableBytes, on: loop)
                switch consumer.accept(part, on: loop) {
                case .more, .later: break
                case .enough: return
                case .never(let refusal): return consumer.fail(refusal)
                }
            }
        }
        consumer.breakOff(error)
    }

    /// The failure of a body that is longer than requested.
    var tooLong: Problem { classifier.tooLong }

    /// The announced framing of the body.
    var framing: ResponseFraming? {
        state.withLock { state in
            switch state.phase {
            case .held(let framing, _), .flowing(_, let framing): framing
            case .awaitingHead, .severed, .ended, .failed: nil
            }
        }
    }

    /// Ends the exchange after its response was handled. A small body that no one took is read, so that the
    /// connection can be reused, often for the next request of a redirect. Any other is cut off.
    func finish() async {
        let (isSmall, task) = state.withLock { state -> (Bool, HTTPClient.Task<Void>?) in
            guard case .held(let framing, _) = state.phase else { return (false, state.task) }
            return (BodyDiscarder.accepts(framing), state.task)
        }
        if isSmall, let task {
            let discarder = BodyDiscarder()
            let timer = task.eventLoop.scheduleTask(in: BodyDiscarder.patience) { [weak self] in
                self?.fail(BodyNotWanted())
            }
            await settled {
                try take(discarder)
                try await discarder.done.value()
            }
            timer.cancel()
        }
        await abandon()
    }

    /// Cuts the exchange off, unless it has ended, and waits until the client has released it.
    func abandon() async {
        fail(BodyNotWanted())
        guard let task = state.withLock({ $0.task }) else { return }
        await settled { try await task.get() }
    }

    /// Waits for work whose failure is already known.
    private func settled(_ wait: () async throws -> Void) async {
        do {
            try await wait()
        } catch {
            // The caller that awaits the head or the body has been told.
        }
    }

    /// Fails the exchange, unless it is over; the connection is closed.
    func fail(_ error: any Error) {
        let (phase, task) = state.withLock { state -> (Phase, HTTPClient.Task<Void>?) in
            let phase = state.phase
            switch phase {
            case .ended, .failed: break
            case .awaitingHead, .held, .severed, .flowing: state.phase = .failed(error)
            }
            state.endWatch()
            return (phase, state.task)
        }
        switch phase {
        case .ended, .severed, .failed:
            return
        case .awaitingHead:
            head.resolve(.failure(error))
        case .held(_, let promise):
            promise.fail(error)
        case .flowing(let consumer, _):
            consumer.fail(error)
        }
        task?.cancel()
    }

    // MARK: - The network's side

    /// Notes the connection that carries the request, just before its first byte may leave.
    func carry(by carrier: Carrier) {
        departure?.note()
        state.withLock { $0.carrier = carrier }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        state.withLock { $0.stall.wait(from: clock.now()) }
        watch(on: task.eventLoop)
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ message: HTTPResponseHead) -> EventLoopFuture<Void> {
        let loop = task.eventLoop
        do {
            let framing = try ResponseFraming(message, answering: method)
            if let refusal = classifier.refusal(by: message.status) { throw refusal }
            let responseHead = try ResponseHead(message, framing: framing)
            let promise = loop.makePromise(of: Void.self)
            let isAwaited = state.withLock { state in
                guard case .awaitingHead = state.phase else { return false }
                state.phase = .held(framing, promise)
                state.stall.headArrived(at: clock.now())
                return true
            }
            if isAwaited {
                head.resolve(.success(responseHead))
            } else {
                promise.fail(BodyNotWanted())
            }
            return promise.futureResult
        } catch {
            let problem = classifier.classify(error, received: nil, framing: nil)
            fail(problem)
            return loop.makeFailedFuture(problem)
        }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let loop = task.eventLoop
        let consumer = state.withLock { state -> (any BodyConsumer)? in
            if !state.undelivered.isEmpty { state.undelivered.removeFirst() }
            state.received += Int64(part.readableBytes)
            state.stall.received(part.readableBytes, at: clock.now())
            guard case .flowing(let consumer, _) = state.phase else { return nil }
            return consumer
        }
        guard let consumer else { return loop.makeFailedFuture(BodyNotWanted()) }
        switch consumer.accept(part, on: loop).delayed(by: pause(for: part, on: loop, consumer)) {
        case .more:
            waitForServer()
            return loop.makeSucceededVoidFuture()
        case .later(let future):
            return future.map { self.waitForServer() }
        case .enough:
            state.withLock { state in
                state.phase = .ended
                state.endWatch()
            }
            task.cancel()
            return loop.makeFailedFuture(BodyNotWanted())
        case .never(let error):
            fail(error)
            return loop.makeFailedFuture(error)
        }
    }

    /// When the next part may arrive, according to the pace. During such a pause, as whenever the server is
    /// held back, it is not judged.
    private func pause(
        for part: ByteBuffer,
        on loop: any EventLoop,
        _ consumer: any BodyConsumer
    ) -> EventLoopFuture<Void>? {
        guard consumer.keepsPace else {
            pace.count(part.readableBytes, on: loop)
            return nil
        }
        return pace.hold(part.readableBytes, on: loop) { [weak self] in self?.isFlowing ?? false }
    }

    private var isFlowing: Bool {
        state.withLock { state in
            if case .flowing = state.phase { true } else { false }
        }
    }

    /// A part of the body has left the parser; it is delivered when the body is requested. Parts that arrive
    /// after the end of the exchange, while its connection closes, are dropped: a server could send any
    /// number (I9).
    func bodyPartArrived(_ part: ByteBuffer) {
        state.withLock { state in
            switch state.phase {
            case .awaitingHead, .held, .flowing: state.undelivered.append(part)
            case .severed, .ended, .failed: break
            }
        }
    }

    /// The number of parts kept and not delivered; for tests.
    var undeliveredParts: Int { state.withLock { $0.undelivered.count } }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        let (received, framing) = state.withLock { state -> (Int64?, ResponseFraming?) in
            let waiting = state.undelivered.reduce(0) { $0 + Int64($1.readableBytes) }
            switch state.phase {
            case .held(let framing, _), .flowing(_, let framing): return (state.received + waiting, framing)
            case .awaitingHead, .severed, .ended, .failed: return (nil, nil)
            }
        }
        let isStale = isRepeatable && ProblemClassifier.isClosing(error)
        let reason = classifier.classify(error, received: received, framing: framing)
        guard reason is Problem else { return fail(reason) }
        let (phase, parts, carrier) = state.withLock { state in
            let (phase, parts) = (state.phase, state.undelivered)
            switch phase {
            case .awaitingHead, .flowing: state.phase = .failed(reason)
            case .held: state.phase = .severed(parts, reason)
            case .severed, .ended, .failed: break
            }
            state.endWatch()
            return (phase, parts, state.carrier)
        }
        switch phase {
        case .awaitingHead where isStale && carrier.mayBeStale(error):
            head.resolve(.failure(StaleConnection()))
        case .awaitingHead: head.resolve(.failure(reason))
        case .held(_, let promise): promise.fail(reason)
        case .flowing(let consumer, _): deliver(parts, to: consumer, then: reason, on: task.eventLoop)
        case .severed, .ended, .failed: break
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        let consumer = state.withLock { state -> (any BodyConsumer)? in
            state.endWatch()
            guard case .flowing(let consumer, _) = state.phase else { return nil }
            state.phase = .ended
            return consumer
        }
        consumer?.end()
    }

    private func waitForServer() {
        state.withLock { $0.stall.wait(from: clock.now()) }
    }

    /// Judges the server at the earliest moment of a possible verdict, repeatedly.
    private func watch(on loop: any EventLoop) {
        let now = clock.now()
        let verdict = state.withLock { state -> StallDetector.Verdict? in
            switch state.phase {
            case .severed, .ended, .failed: return nil
            case .awaitingHead, .held, .flowing: break
            }
            if let verdict = state.stall.check(at: now) { return verdict }
            if let next = state.stall.nextCheck(after: now) {
                state.timer = clock.schedule(next, loop) { [weak self] in self?.watch(on: loop) }
            }
            return nil
        }
        if let verdict { fail(classifier.problem(of: verdict)) }
    }
}

extension Exchange.Carrier {
    /// Whether the connection may have been closed before the request reached the server.
    fileprivate func mayBeStale(_ error: any Error) -> Bool {
        switch (self, error) {
        case (.reused, _): true
        // AsyncHTTPClient had chosen a connection that was already closed.
        case (.none, ChannelError.ioOnClosedChannel): true
        case (.none, _), (.fresh, _), (.answering, _): false
        }
    }
}

/// A kept connection was closed before the first byte of a response.
struct StaleConnection: Error {}
