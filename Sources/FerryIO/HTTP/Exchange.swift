internal import AsyncHTTPClient
internal import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// One request and its response, as AsyncHTTPClient reports it.
///
/// The future that each delegate method returns is the back-pressure: AsyncHTTPClient reads no more from the
/// socket until it has come. For the head that future is kept back until somebody asks for the body.
///
/// When a connection breaks, AsyncHTTPClient throws away what it has received and not yet delivered, which is
/// all there is when a server sends a little and breaks off each time: such a transfer would never come to an
/// end. So ``ConnectionGuard`` shows each part to the exchange when it passes, and the exchange delivers what
/// is left of them itself.
final class Exchange: HTTPClientResponseDelegate, Sendable {
    typealias Response = Void

    private enum Phase {
        /// Connecting, or waiting for the server's answer. Exits: `held`, `failed`.
        case awaitingHead
        /// The head is there; the body is held back by the promise. Exits: `flowing`, `severed`, `failed`.
        case held(ResponseFraming, EventLoopPromise<Void>)
        /// The connection broke while the body was held back; this much of it had come. Exits: `failed`.
        case severed(CircularBuffer<ByteBuffer>, any Error)
        /// The body goes to a consumer. Exits: `ended`, `failed`.
        case flowing(any BodyConsumer, ResponseFraming)
        /// The whole response was received. Final.
        case ended
        /// There will be no more of it. Final.
        case failed(any Error)
    }

    /// What is known of the connection that a request goes over.
    enum Carrier: Sendable {
        /// The request has not reached one.
        case none
        /// It is the first request of its connection.
        case fresh
        /// The connection was used before; its end may have come before the request.
        case reused
        /// An interim response has come.
        case answering
    }

    private struct State {
        var phase = Phase.awaitingHead
        var carrier = Carrier.none
        var stall: StallDetector
        var received: Int64 = 0
        /// Parts that came from the network and are not delivered.
        var undelivered = CircularBuffer<ByteBuffer>()
        var timer: Scheduled<Void>?
        /// Set when the request has been handed over; a failure before that is kept for it.
        var task: HTTPClient.Task<Void>?

        /// The server is not judged any more.
        mutating func endWatch() {
            timer?.cancel()
            timer = nil
        }
    }

    /// The head of the response, or why there is none.
    let head = Outcome<ResponseHead>()

    /// The host that the certificate of the connection has to be for; `nil` where none is asked for.
    let verifiedHost: String?

    /// Whether the response comes over TLS.
    let isEncrypted: Bool

    /// How fast the body may come.
    let pace: Pace

    private let method: HTTPRequest.Method
    /// Whether the request may be sent again when its connection turns out to have been closed.
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

    // MARK: - The side of whoever asks

    /// Notes the running request; cancels it when the exchange has failed meanwhile.
    func begin(_ task: HTTPClient.Task<Void>) {
        let hasFailed = state.withLock { state in
            state.task = task
            if case .failed = state.phase { return true }
            return false
        }
        if hasFailed { task.cancel() }
    }

    /// Lets the body flow to `consumer`, which is told how it ends.
    ///
    /// - Throws: what the exchange has failed with; ``Problem`` when the body was taken before.
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

    /// Delivers the last parts of a body whose connection broke. All of them at once: they are in memory
    /// already, and there is nothing left to hold back.
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

    /// The failure of a body that is longer than was asked for.
    var tooLong: Problem { classifier.tooLong }

    /// What is announced about the body.
    var framing: ResponseFraming? {
        state.withLock { state in
            switch state.phase {
            case .held(let framing, _), .flowing(_, let framing): framing
            case .awaitingHead, .severed, .ended, .failed: nil
            }
        }
    }

    /// Ends the exchange after its response was handled: a small body that nobody took is read, so that the
    /// connection can serve again (the next request of a redirect, often), and any other is cut off.
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

    /// Cuts the exchange off, unless it has ended, and waits until the client has let go of it.
    func abandon() async {
        fail(BodyNotWanted())
        guard let task = state.withLock({ $0.task }) else { return }
        await settled { try await task.get() }
    }

    /// Waits for something whose failure is known already.
    private func settled(_ wait: () async throws -> Void) async {
        do {
            try await wait()
        } catch {
            // Whoever awaits the head or the body has been told.
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

    // MARK: - The side of the network

    /// Notes what the request goes over, just before its first byte may leave.
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

    /// When the next part may come, as far as it is a matter of the pace. Meanwhile the server is not judged, like
    /// whenever it is held back.
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

    /// A part of the body has left the parser; it will be delivered when the body is asked for. What comes after the
    /// end of the exchange, while its connection is being closed, is not kept: that is as much as a server likes (I9).
    func bodyPartArrived(_ part: ByteBuffer) {
        state.withLock { state in
            switch state.phase {
            case .awaitingHead, .held, .flowing: state.undelivered.append(part)
            case .severed, .ended, .failed: break
            }
        }
    }

    /// How many parts are kept that are not delivered; for tests.
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

    /// Judges the server at the earliest moment at which there can be a verdict, again and again.
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
        // AsyncHTTPClient had chosen a connection that was closed already.
        case (.none, ChannelError.ioOnClosedChannel): true
        case (.none, _), (.fresh, _), (.answering, _): false
        }
    }
}

/// A connection that was kept open was closed before the first byte of an answer.
struct StaleConnection: Error {}
