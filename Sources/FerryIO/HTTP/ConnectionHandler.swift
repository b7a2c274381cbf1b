internal import FerryCore
internal import NIOCore
internal import NIOSSL

/// The end of a connection's pipeline: a ``WireConnection`` and what it needs of the event loop.
///
/// Each read of the socket is asked for, so that a connection is held back simply by not asking. While the body waits
/// for its consumer, or the consumer for the disk, TCP slows the server down. All methods run on the event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    /// Maximum bytes to read for the sake of keeping a connection.
    static let dropLimit: Int64 = 64 * 1024
    /// Maximum time for that.
    static let dropPatience = TimeAmount.milliseconds(200)

    /// What the next part of a request's body waits for.
    private enum Sending {
        /// Nothing, or to be read from its source.
        case ready
        /// The server, which is to ask for it.
        case asking
        /// The part before, which is on its way to the kernel.
        case inFlight
        /// The rate limit.
        case paused
    }

    private let pool: ConnectionPool
    private let number: WirePool.Connection
    private let loop: any EventLoop
    private let threads: IOThreads
    private let buffers: BufferPlan
    /// The TLS handler; `nil` for clear text.
    private let security: ChannelHandlerContext?
    private var connection: WireConnection
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// What is left of the request's body.
    private var feed: BodyFeed?
    /// What its next part waits for.
    private var sending = Sending.ready
    /// How many bytes of it the kernel has taken.
    private var sent: Int64 = 0
    private var portionToSend = SendPortion()
    /// The wait until the body is sent although the server has not asked for it.
    private var continueTimer: Scheduled<Void>?
    /// The next look at the part that is on its way.
    private var partTimer: Scheduled<Void>?
    /// Whether nothing is read, because the body is not asked for yet.
    private var isHeld = false
    /// How many futures have to complete before anything is read.
    private var holds = 0
    /// The number of bytes of the body that have arrived, which sizes the next read.
    private var arrived = 0
    private var portion: Int
    private var dropTimer: Scheduled<Void>?
    /// What broke the connection, other than its orderly end.
    private var breakage: (any Error)?

    init(
        _ number: WirePool.Connection,
        of pool: ConnectionPool,
        on loop: any EventLoop,
        threads: IOThreads,
        buffers: BufferPlan,
        continueWait: Duration,
        security: ChannelHandlerContext?
    ) {
        self.number = number
        self.pool = pool
        self.loop = loop
        self.threads = threads
        self.buffers = buffers
        self.security = security
        portion = buffers.portion(afterReceiving: 0)
        connection = WireConnection(continueWait: continueWait)
        connection.opened()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    // MARK: - The caller's side

    /// Sends a request.
    func begin(_ next: Exchange, on live: LiveConnection) {
        guard next.carry(by: live) else {
            watch()
            return release(upTo: nil)
        }
        do throws(RequestFault) {
            guard let context, context.channel.isActive,
                case .write(let head, let start, _) = try connection.begin(next.message, at: .uptime)
            else {
                next.lose(.nothingLeft, because: breakage)
                next.leave()
                return close()
            }
            (exchange, isHeld, arrived) = (next, false, 0)
            next.depart()
            write(head, context)
            begin(next.requestBody, start)
            flush()
            read(context)
        } catch {
            next.refuse(error)
            next.leave()
            release(upTo: nil)
        }
    }

    /// Watches an open connection that carries nothing yet: bytes that no one has asked for close it.
    func watch() {
        if exchange == nil { context?.read() }
    }

    /// Lets the body of an exchange flow to a consumer.
    func startFlow(of exchange: Exchange, to consumer: any BodyConsumer) {
        let demands = exchange.startFlow(to: consumer, on: loop)
        guard self.exchange === exchange else { return }
        isHeld = false
        for demand in demands { heed(demand) }
        readIfWanted()
    }

    /// Reads the small rest of an answer that is not wanted, or closes the connection.
    func drop(_ exchange: Exchange) {
        guard self.exchange === exchange, let context else { return }
        guard !connection.drop(reading: Self.dropLimit) else { return close() }
        isHeld = false
        dropTimer = loop.scheduleTask(in: Self.dropPatience) {
            [bound = NIOLoopBound(self, eventLoop: loop)] in
            bound.value.close()
        }
        read(context)
    }

    /// Closes the connection unless it carries another exchange by now.
    func abandon(_ exchange: Exchange) {
        if self.exchange === exchange { close() }
    }

    /// Closes the connection.
    ///
    /// In the middle of an answer there is no closing alert of TLS. The server would answer it only after the rest of
    /// its answer, and until then all those bytes would be received and decrypted for nothing.
    func close() {
        guard let context else { return }
        let isAtRest = connection.isIdle
        connection.close()
        if !isAtRest, let security {
            // Closing from the TLS handler's place in the pipeline bypasses it.
            security.close(mode: .all, promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    // MARK: - Sending

    /// Begins with the body of a request whose head is written.
    private func begin(_ body: RequestBody, _ start: WireConnection.BodyStart) {
        guard start != .none, let context else { exchange?.endBody(); return }
        (sending, sent, portionToSend) = (.ready, 0, SendPortion())
        feed = BodyFeed(body, on: loop, threads, context.channel.allocator, sendsFiles: security == nil)
        if case .onceAsked(let moment) = start {
            sending = .asking
            continueTimer = loop.scheduleTask(deadline: moment.deadline) {
                [bound = NIOLoopBound(self, eventLoop: loop)] in
                bound.value.stopWaiting()
            }
        } else {
            sendBody()
        }
    }

    /// The server has not asked for the body; it may not know how to ask.
    private func stopWaiting() {
        guard connection.waited(at: .uptime) else { return }
        sending = .ready
        sendBody()
        flush()
    }

    /// Writes the next part of the body, unless one is still on its way.
    private func sendBody() {
        guard let feed, let exchange, let context, sending == .ready else { return }
        attempt {
            let next = try feed.next(upTo: exchange.pace.portion(of: portionToSend.bytes)) { [weak self] in
                self?.sendBody()
                self?.flush()
            }
            switch next {
            case .pending: break
            case .end: try endBody(feed, context)
            case .part(let part): try send(part, of: exchange, context)
            }
        }
    }

    /// Takes a step with the body. A failure ends the exchange.
    private func attempt(_ step: () throws -> Void) {
        do {
            try step()
        } catch let fault as RequestFault {
            exchange?.refuse(fault)
            close()
        } catch {
            exchange?.fail(error)
            close()
        }
    }

    private func send(_ part: IOData, of exchange: Exchange, _ context: ChannelHandlerContext) throws {
        let (count, start) = (part.readableBytes, NIODeadline.now())
        guard case .write(let frame) = try connection.send(count) else { return stopBody() }
        sending = .inFlight
        write(frame.before, context)
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [feed] result in
            // The file stays open until the kernel has taken what it was given of it.
            withExtendedLifetime(feed) {}
            switch result {
            case .success: self.wrote(count, of: exchange, in: .now() - start)
            case .failure(let error): self.breakage = self.breakage ?? error
            }
        }
        context.write(wrapOutboundOut(part), promise: promise)
        write(frame.after, context)
        awaitPeer()
        watchPart(of: exchange, unsent: count)
    }

    private func endBody(_ feed: BodyFeed, _ context: ChannelHandlerContext) throws {
        try feed.check()
        stopBody()
        let end = try connection.endBody()
        write(end.bytes, context)
        if let effect = end.effect { perform(effect, in: ByteBuffer()) }
    }

    private func stopBody() {
        feed = nil
        exchange?.endBody()
    }

    /// A part has reached the kernel.
    private func wrote(_ count: Int, of over: Exchange, in time: TimeAmount) {
        guard exchange === over else { return }
        sent += Int64(count)
        portionToSend.took(time)
        partTimer?.cancel()
        over.sent(upTo: sent)
        if let feed, feed.isAtEnd, let context {
            attempt { try endBody(feed, context) }
            flush()
            return awaitPeer()
        }
        sending = .paused
        let pause = over.pace.hold(count, on: loop) { [weak over] in over?.isOver == false }
        // In a turn of its own: a fast receiver would keep the event loop from all other connections.
        guard let pause else { return loop.assumeIsolated().execute { self.proceed(with: over) } }
        pause.assumeIsolated().whenComplete { _ in self.proceed(with: over) }
    }

    private func proceed(with exchange: Exchange) {
        guard self.exchange === exchange else { return }
        sending = .ready
        sendBody()
        flush()
        awaitPeer()
    }

    /// Looks each second at the part that is on its way. On a slow network it takes long, but as long as bytes of it leave
    /// the peer is not silent. And were a file cut short, the kernel would find nothing to send, again and again.
    private func watchPart(of exchange: Exchange, unsent: Int) {
        partTimer?.cancel()
        partTimer = loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
            guard self.exchange === exchange, self.sending == .inFlight, let context = self.context else {
                return
            }
            self.attempt { try self.feed?.check() }
            let rest = self.unsentBytes(context) ?? unsent
            if rest < unsent { exchange.peerTakes() }
            self.watchPart(of: exchange, unsent: rest)
        }
    }

    /// How many bytes wait to be taken by the kernel.
    private func unsentBytes(_ context: ChannelHandlerContext) -> Int? {
        do { return try context.channel.syncOptions?.getOption(.bufferedWritableBytes) } catch { return nil }
    }

    /// Lets the peer be judged from now on, if it is its turn.
    private func awaitPeer() {
        let isItsTurn =
            if feed == nil { !isHeld && holds == 0 } else { sending == .inFlight || sending == .asking }
        if isItsTurn { exchange?.waitForPeer(on: loop) }
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        guard !bytes.isEmpty else { return }
        let promise = loop.makePromise(of: Void.self)
        // A failed write closes the connection before any later callback.
        promise.futureResult.assumeIsolated().whenFailure { self.breakage = self.breakage ?? $0 }
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.write(wrapOutboundOut(.byteBuffer(buffer)), promise: promise)
    }

    private func flush() { context?.flush() }

    // MARK: - Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        var position = 0
        let began = exchange
        while let effect = connection.receive(bytes.readableBytesSpan, at: &position) {
            perform(effect, in: bytes)
        }
        // Last, so that a short answer is whole when it is announced.
        began?.announceHead()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        readIfWanted()
    }

    private func perform(_ effect: WireConnection.Effect, in bytes: ByteBuffer) {
        switch effect {
        case .interim(let head, let startsBody):
            exchange?.receive(interim: head)
            guard startsBody else { break }
            continueTimer?.cancel()
            sending = .ready
            sendBody()
            flush()
        case .head(let head, let framing, let stopsBody):
            if stopsBody { stopBody() }
            isHeld = true
            if exchange?.receive(head, framing) == false { close() }
        case .body(let range):
            guard let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
            else { return }
            arrived = min(arrived, buffers.receiveBytes) + range.count
            if let demand = exchange?.receive(part, on: loop) { heed(demand) }
        case .end(_, let afterwards):
            end(afterwards) { $0.end() }
        case .drained(let afterwards):
            end(afterwards) { _ in }
        case .lost(let loss):
            lose(loss)
            close()
        case .close:
            close()
        }
    }

    /// An exchange is over. Its connection is free before anyone can ask for another one.
    private func end(_ afterwards: WireConnection.Afterwards, _ tell: (Exchange) -> Void) {
        let over = takeExchange()
        switch afterwards {
        case .free(let time):
            release(upTo: time)
            if let context { read(context) }
        case .close, .tunnel: close()
        }
        if let over {
            tell(over)
            over.leave()
        }
    }

    private func release(upTo time: Duration?) {
        pool.released(number, upTo: time)
    }

    private func takeExchange() -> Exchange? {
        dropTimer?.cancel()
        continueTimer?.cancel()
        partTimer?.cancel()
        defer { (exchange, feed, holds) = (nil, nil, 0) }
        return exchange
    }

    private func lose(_ loss: ExchangeLoss) {
        guard let over = takeExchange() else { return }
        over.lose(loss, because: breakage)
        over.leave()
    }

    /// Holds the connection back as a consumer demands.
    private func heed(_ demand: BodyDemand) {
        switch demand {
        case .more: break
        case .later(let future):
            holds += 1
            future.hop(to: loop).assumeIsolated().whenComplete { [exchange] _ in
                // The wait of an earlier exchange must not hold this one back.
                guard self.exchange === exchange else { return }
                self.holds -= 1
                self.readIfWanted()
            }
        case .enough, .never: close()
        }
    }

    private func readIfWanted() {
        guard !isHeld, holds == 0, let context, !connection.isClosed else { return }
        read(context)
    }

    private func read(_ context: ChannelHandlerContext) {
        adaptPortion(context)
        awaitPeer()
        context.read()
    }

    /// Sets the size of a read to fit the pace of the answer and the bytes that have arrived.
    private func adaptPortion(_ context: ChannelHandlerContext) {
        let most = buffers.portion(afterReceiving: arrived)
        let wanted = exchange?.pace.portion(of: most) ?? most
        guard wanted != portion else { return }
        portion = wanted
        do {
            let allocator = FixedSizeRecvByteBufferAllocator(capacity: wanted)
            try context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
        } catch {
            // The connection has just been closed and reads no more.
        }
    }

    // MARK: - The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A server's alert says more than the failed write to a connection that the server has closed.
        if breakage == nil || error is BoringSSLError { breakage = error }
        // The channel closes by itself when the peer has cut the connection without TLS's closing alert.
        if case NIOSSLError.uncleanShutdown = error { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        switch connection.peerClosed(isOrderly: breakage == nil) {
        case .end(_, _)?:
            let over = takeExchange()
            over?.end()
            over?.leave()
        case .lost(let loss)?: lose(loss)
        case .interim, .head, .body, .drained, .close, nil: lose(.fault(.closedWithinBody))
        }
        self.context = nil
        pool.closed(number, because: breakage)
    }
}
