internal import FerryCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Stands between the parser and the client on each connection and lets only bounded messages through.
///
/// The parser bounds a single field and counts them, but allows two megabytes of head and any number of
/// interim responses; a hostile server could so keep a connection busy for ever without one byte of body.
///
/// On the way out it puts the exact request target into the request line, see ``Route/message(for:)``, and on
/// the way in it shows the parts of a body to their ``Exchange``.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of the field that carries the request target to this handler; it never reaches the wire.
    static let targetField = "Ferry-Request-Target"
    /// The name of the field that carries the number of the exchange; it does not either.
    static let exchangeField = "Ferry-Exchange"
    /// How many bytes the names and values of a response's fields may have together.
    static let headLimit = 256 * 1024
    /// How many interim (1xx) responses one request may get.
    static let interimLimit = 16

    private enum State {
        /// No request is under way. Exits: `requested`.
        case idle
        /// The final head is awaited. Exits: `responding`, `broken`.
        case requested(interimResponses: Int)
        /// The body is under way. Exits: `idle`, `broken`.
        case responding
        /// A rule was broken and the connection is being closed.
        case broken
    }

    private let directory: ExchangeDirectory
    private let buffers: BufferPlan
    private var exchange: Exchange?
    private var state = State.idle
    /// Whether a request was sent before.
    private var isReused = false
    /// How many bytes of the body have come.
    private var arrived = 0
    /// How many bytes one read brings at present.
    private var portion: Int

    /// - Parameter buffers: how many bytes one read may bring.
    init(directory: ExchangeDirectory, buffers: BufferPlan) {
        self.directory = directory
        self.buffers = buffers
        portion = buffers.portion(afterReceiving: 0)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else {
            if case .broken = state {
                promise?.fail(ChannelError.ioOnClosedChannel)
                return
            }
            return context.write(data, promise: promise)
        }
        exchange = head.headers.first(name: Self.exchangeField).flatMap(UInt64.init).flatMap { directory[$0] }
        if let mismatch = mismatch(in: context) {
            state = .broken
            promise?.fail(mismatch)
            // Not at once: whoever writes is in the middle of a change of state.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            return context.eventLoop.execute { bound.value.fireErrorCaught(mismatch) }
        }
        state = .requested(interimResponses: 0)
        exchange?.carry(by: isReused ? .reused : .fresh)
        isReused = true
        arrived = 0
        adaptPortion(context)
        if let target = head.headers.first(name: Self.targetField) {
            head.uri = target
            head.headers.remove(name: Self.targetField)
        }
        head.headers.remove(name: Self.exchangeField)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch (state, part) {
        case (.requested(let count), .head(let head)) where (100..<200).contains(head.status.code):
            guard head.status != .switchingProtocols else { return refuse(.unaskedUpgrade, context) }
            guard count < Self.interimLimit else { return refuse(.tooManyInterimResponses, context) }
            state = .requested(interimResponses: count + 1)
            exchange?.carry(by: .answering)
        case (.requested, .head(let head)) where head.status.code < 100:
            // The parser lets it pass, and the client traps at whatever follows such a head.
            refuse(.invalidStatus, context)
        case (.requested, .head(let head)):
            let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
            guard size <= Self.headLimit else { return refuse(.headTooLarge, context) }
            state = .responding
            context.fireChannelRead(data)
        case (.responding, .body(let part)):
            exchange?.bodyPartArrived(part)
            arrived = min(arrived, buffers.receiveBytes) + part.readableBytes
            context.fireChannelRead(data)
        case (.responding, .end):
            state = .idle
            exchange = nil
            context.fireChannelRead(data)
        case (.requested, _):
            refuse(.endWithoutHead, context)
        case (.idle, _), (.responding, .head), (.broken, _):
            // Nobody asked for this; the connection is not to be trusted with another request.
            context.close(promise: nil)
        }
    }

    /// Closes a connection in the middle of a response without the farewell of TLS.
    ///
    /// The farewell would be answered after all that the server has still to say; until then, or until nobody waits
    /// for it any longer, every byte of that would be received and decrypted for nothing.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let isBetweenResponses = if case .idle = state { true } else { false }
        guard mode == .all, !isBetweenResponses, let security = context.pipeline.security else {
            return context.close(mode: mode, promise: promise)
        }
        // From the place of TLS in the pipeline, closing passes it by.
        security.close(mode: mode, promise: promise)
    }

    func read(context: ChannelHandlerContext) {
        adaptPortion(context)
        context.read()
    }

    /// Lets a read bring no more than goes well with the pace of the response, and with how much of it has come.
    private func adaptPortion(_ context: ChannelHandlerContext) {
        let most = buffers.portion(afterReceiving: arrived)
        let wanted = exchange?.pace.portion(of: most) ?? most
        guard wanted != portion else { return }
        portion = wanted
        do {
            let allocator = FixedSizeRecvByteBufferAllocator(capacity: wanted)
            try context.channel.syncOptions?.setOption(.recvAllocator, value: allocator)
        } catch {
            // The connection has just been closed, and reads nothing any more.
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange = nil
        context.fireChannelInactive()
    }

    /// Why the server at the other end is not the one that the request is for; `nil` when it is.
    private func mismatch(in context: ChannelHandlerContext) -> CertificateMismatch? {
        guard let host = exchange?.verifiedHost else { return nil }
        do {
            guard let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate() else {
                return .otherName
            }
            let identity = CertificateIdentity(certificate)
            guard identity.namesHosts else { return .noName }
            return identity.covers(host) ? nil : .otherName
        } catch {
            return .otherName
        }
    }

    private func refuse(_ violation: ProtocolViolation, _ context: ChannelHandlerContext) {
        state = .broken
        context.fireErrorCaught(violation)
    }
}

/// A rule of HTTP, or a bound of Ferry, that a response breaks.
enum ProtocolViolation: Error, Hashable, Sendable {
    /// The fields are larger than ``ConnectionGuard/headLimit``.
    case headTooLarge
    /// More 1xx responses than ``ConnectionGuard/interimLimit``.
    case tooManyInterimResponses
    /// The status code is below 100 (RFC 9110 §15).
    case invalidStatus
    /// 101, although no upgrade was asked for.
    case unaskedUpgrade
    /// A message ended that had not begun.
    case endWithoutHead
    /// `Content-Length` is no number, or there are several that differ.
    case invalidContentLength
    /// `Content-Length` and `Transfer-Encoding` together.
    case ambiguousFraming
    /// A transfer coding other than `chunked`, or chunks in HTTP/1.0.
    case unknownTransferCoding
    /// A field whose name is none.
    case invalidFieldName

    /// What is wrong with the response, to follow "The server's answer".
    var explanation: String {
        switch self {
        case .headTooLarge: "has a head of more than \(ConnectionGuard.headLimit) bytes"
        case .tooManyInterimResponses: "has too many interim responses"
        case .invalidStatus: "has a status code below 100"
        case .unaskedUpgrade: "switches protocols without being asked"
        case .endWithoutHead: "has no head"
        case .invalidContentLength: "has an invalid Content-Length"
        case .ambiguousFraming: "has both Content-Length and Transfer-Encoding"
        case .unknownTransferCoding: "has a transfer coding that Ferry does not know"
        case .invalidFieldName: "has a field with an invalid name"
        }
    }
}
