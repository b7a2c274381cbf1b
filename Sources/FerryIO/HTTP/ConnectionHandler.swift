internal import FerryCore
internal import NIOCore
internal import NIOSSL
internal import Synchronization

/// The end of a connection's pipeline: a ``WireConnection`` and what it needs of the event loop.
///
/// Each read of the socket is asked for, so that a connection is held back simply by not asking. While the body waits
/// for its consumer, or the consumer for the disk, TCP slows the server down. All methods run on the event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = IOData

    /// Maximum time to read for the sake of keeping a connection.
    private static let dropPatience = TimeAmount.milliseconds(200)
    /// Maximum time to read on while the server may still be reading the request's body.
    private static let lingerPatience = TimeAmount.seconds(5)

    private let pool: ConnectionPool
    private let number: WirePool.Connection
    let loop: any EventLoop
    private let threads: IOThreads
    private let buffers: BufferPlan
    /// The TLS handler; `nil` for clear text.
    private let security: ChannelHandlerContext?
    /// Judges the peer.
    let peerWatch: PeerWatch
    private var connection: WireConnection
    private var context: ChannelHandlerContext?
    private var exchange: Exchange?
    /// The request's body, until all of it has left or no more is wanted.
    private var sender: BodySender?
    /// Whether nothing is read, because the body is not asked for yet.
    private var isHeld = false
    /// How many futures have to complete before anything is read.
    private var holds = 0
    /// The number of bytes of the body that have arrived, which sizes the next read.
    private var arrived = 0
    private var portion: Int
    private var dropTimer: Scheduled<Void>?
    /// Whether a head has come with the present read.
    private var isHeadNew = false
    /// Announces a head whose short body is late.
    private var headTimer: Scheduled<Void>?
    private let shortBodyWait: TimeAmount
    /// Whether a request was sent over the connection.
    private var isUsed = false
    /// Its number for a log; `nil` as long as nothing was logged of it.
    private var loggedNumber: Int?
    /// The number of connections of which something was logged.
    private static let loggedCount = Atomic<Int>(0)
    /// What broke the connection, other than its orderly end.
    private var breakage: (any Error)?

    init(
        _ number: WirePool.Connection,
        of pool: ConnectionPool,
        on loop: any EventLoop,
        _ resources: ConnectionOpening.Resources,
        buffers: BufferPlan,
        security: ChannelHandlerContext?
    ) {
        self.number = number
        self.pool = pool
        self.loop = loop
        self.buffers = buffers
        self.security = security
        threads = resources.threads
        shortBodyWait = resources.shortBodyWait.timeAmount(orForever: .hours(24))
        peerWatch = PeerWatch(on: loop, clock: resources.stallClock)
        portion = buffers.portion(afterReceiving: 0)
        connection = WireConnection(continueWait: resources.continueWait)
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
            peerWatch.begin(next, over: self)
            next.report { facts(of: context.channel) }
            isUsed = true
            next.depart()
            write(head, context)
            beginBody(start)
            flush()
            read(context)
        } catch {
            next.refuse(error)
            next.leave()
            release(upTo: nil)
        }
    }

    private func facts(of channel: any Channel) -> ConnectionFacts {
        let peer = channel.remoteAddress.flatMap { address in
            address.ipAddress.map { ip in
                let host = ip.contains(":") ? "[\(ip)]" : ip
                return address.port.map { "\(host):\($0)" } ?? host
            }
        }
        let number = loggedNumber ?? Self.loggedCount.wrappingAdd(1, ordering: .relaxed).newValue
        loggedNumber = number
        return ConnectionFacts(number: number, peer: peer, security: tlsVersion, isReused: isUsed)
    }

    /// `TLS 1.3`, or another version; `nil` in clear text.
    private var tlsVersion: String? {
        guard let security else { return nil }
        do {
            switch try security.pipeline.syncOperations.nioSSL_tlsVersion() {
            case .tlsv1: return "TLS 1.0"
            case .tlsv11: return "TLS 1.1"
            case .tlsv12: return "TLS 1.2"
            case .tlsv13: return "TLS 1.3"
            case nil: return "TLS"
            }
        } catch {
            // The connection is about to close.
            return "TLS"
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

    /// Reads the rest of an answer that is not wanted, or closes the connection (``WireConnection/drop(reading:)``).
    ///
    /// - Parameter limit: maximum bytes to read to keep the connection.
    func drop(_ exchange: Exchange, reading limit: Int64 = WireConnection.longestRest) {
        guard self.exchange === exchange, let context else { return }
        let dropping = connection.drop(reading: limit)
        // While the end of the body is on its way, what follows waits for it.
        let isSending = sender != nil
        switch dropping {
        case .closes:
            if !isSending { close() }
            return
        case .reads:
            if !isSending {
                endDrop(in: Self.dropPatience) {
                    if self.connection.mayBeUnread { self.linger() } else { self.close() }
                }
            }
        case .lingers: if !isSending { linger() }
        case .sends: break
        }
        isHeld = false
        read(context)
    }

    /// Reads on, and lets the caller go: the connection will carry no other exchange soon.
    private func linger() {
        endDrop(in: Self.lingerPatience) { self.close() }
        exchange?.letGo()
    }

    private func endDrop(in patience: TimeAmount, _ end: @escaping () -> Void) {
        dropTimer?.cancel()
        dropTimer = loop.assumeIsolated().scheduleTask(in: patience, end)
    }

    /// Closes the connection unless it carries another exchange by now.
    func abandon(_ exchange: Exchange) {
        if self.exchange === exchange { close() }
    }

    /// Closes the connection, unless it lingers: then it closes by itself.
    func closeUnlessLingering() {
        if !connection.isDraining || !connection.mayBeUnread { close() }
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
    private func beginBody(_ start: WireConnection.BodyStart) {
        guard start != .none, let context, let exchange else { exchange?.endBody(); return }
        let (body, allocator) = (exchange.requestBody, context.channel.allocator)
        let feed = BodyFeed(body, on: loop, threads, allocator, sendsFiles: security == nil)
        let sender = BodySender(feed, of: exchange, over: self, on: loop)
        self.sender = sender
        sender.begin(start)
    }

    /// The server has not asked for the body; it may not know how to ask.
    func stopWaiting() {
        if connection.waited(at: .uptime) { sender?.proceed() }
    }

    /// Writes a part of the body, and calls `wrote` when the kernel has taken it.
    func write(_ part: IOData, wrote: @escaping () -> Void) throws {
        guard let context, case .write(let frame) = try connection.send(part.readableBytes) else {
            return stopBody()
        }
        write(frame.before, context)
        write(part, context, wrote: wrote)
        write(frame.after, context)
        awaitPeer()
    }

    /// Writes the end of the body. What follows waits until it has left, because closing the connection would drop it.
    func endBody() throws {
        guard let context else { return }
        let (bytes, effect) = try connection.endBody()
        write(bytes, context) { [exchange] in
            guard self.exchange === exchange else { return }
            self.stopBody()
            if let effect { return self.perform(effect, in: ByteBuffer()) }
            if self.connection.isClosed { return self.close() }
            if self.connection.isDraining { self.linger() }
            self.awaitPeer()
        }
        flush()
        awaitPeer()
    }

    private func stopBody() {
        sender?.stop()
        sender = nil
        exchange?.endBody()
    }

    /// The body cannot be sent.
    func fail(_ error: any Error) {
        if let fault = error as? RequestFault { exchange?.refuse(fault) } else { exchange?.fail(error) }
        close()
    }

    /// Checks that the part of the body on its way has not changed; otherwise the exchange fails.
    func checkBody() { sender?.check() }

    /// How many bytes of the request are on their way to the peer, in this process or in the kernel; `nil` when the peer has
    /// acknowledged the whole request.
    var unacknowledgedBytes: Int? {
        guard let context else { return nil }
        do {
            let waiting = try context.channel.syncOptions?.getOption(.bufferedWritableBytes) ?? 0
            let left = try context.pipeline.syncOperations.withUnsafeTransportIfAvailable {
                (socket: NIOBSDSocket.Handle) in Platform.unacknowledgedBytes(of: socket) ?? 0
            }
            let count = waiting + (left ?? 0)
            return count == 0 && sender == nil ? nil : count
        } catch {
            // The connection has just been closed.
            return nil
        }
    }

    /// Lets the peer be judged from now on, if it is its turn.
    func awaitPeer() {
        if sender?.awaitsPeer ?? (!isHeld && holds == 0) { peerWatch.wait() }
    }

    private func write(
        _ bytes: [UInt8],
        _ context: ChannelHandlerContext,
        wrote: @escaping () -> Void = {}
    ) {
        guard !bytes.isEmpty else { return wrote() }
        write(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)), context, wrote: wrote)
    }

    /// Writes bytes, and calls `wrote` when the kernel has taken them.
    private func write(_ bytes: IOData, _ context: ChannelHandlerContext, wrote: @escaping () -> Void) {
        let promise = loop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: wrote()
            // A failed write closes the connection before any later callback.
            case .failure(let error): self.breakage = self.breakage ?? error
            }
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }

    func flush() { context?.flush() }

    // MARK: - Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        // What is read only to keep the connection counts, too.
        if connection.isDraining { exchange?.pace.count(bytes.readableBytes, on: loop) }
        var position = 0
        while let effect = connection.receive(bytes.readableBytesSpan, at: &position) {
            perform(effect, in: bytes)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isHeadNew { announceHead() }
        readIfWanted()
    }

    /// Announces a head. A short body is awaited first, but not for long: mostly it comes at once, and then the task need not
    /// ask for it.
    private func announceHead() {
        isHeadNew = false
        // An exchange that is over was announced when it left.
        guard let exchange else { return }
        guard sender == nil, exchange.awaitsBody(upTo: buffers.firstReceiveBytes) else {
            return exchange.announceHead()
        }
        isHeld = false
        headTimer = loop.assumeIsolated().scheduleTask(in: shortBodyWait) {
            // The caller may need long for the head, and that is not the server's time.
            self.isHeld = true
            self.peerWatch.restart()
            exchange.announceHead()
        }
    }

    private func perform(_ effect: WireConnection.Effect, in bytes: ByteBuffer) {
        switch effect {
        case .interim(let head, let startsBody):
            peerWatch.restart()
            exchange?.receive(interim: head)
            if startsBody { sender?.proceed() }
        case .head(let head, let framing, let turn):
            switch turn {
            case .none: break
            case .starts: sender?.proceed()
            case .stops: stopBody()
            }
            (isHeld, isHeadNew) = (true, true)
            peerWatch.restart()
            if exchange?.receive(head, framing) == false { close() }
        case .body(let range):
            guard let part = bytes.getSlice(at: bytes.readerIndex + range.lowerBound, length: range.count)
            else { return }
            arrived = min(arrived, buffers.receiveBytes) + range.count
            peerWatch.received(range.count)
            if let demand = exchange?.receive(part, on: loop) { heed(demand) }
        case .end(_, let afterwards):
            end(afterwards) { $0.end() }
        case .drained(let afterwards):
            end(afterwards) { $0.endBody() }
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
        headTimer?.cancel()
        sender?.stop()
        peerWatch.end()
        defer { (exchange, sender, holds, dropTimer, headTimer) = (nil, nil, 0, nil, nil) }
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
        case .enough: if let exchange { drop(exchange, reading: 0) }
        case .never: close()
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
        peerWatch.close()
        pool.closed(number, because: breakage)
    }
}
