internal import FerryCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// Stands between the parser and the client on each connection and passes only bounded messages.
///
/// The parser limits the number of fields and the size of each, but allows a head of two megabytes and any
/// number of interim responses. A hostile server could keep a connection busy forever without one byte of
/// body.
///
/// For requests, it puts the exact request target into the request line, see ``Route/message(for:)``. For
/// responses, it shows the parts of a body to their ``Exchange``.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The name of the field that carries the request target to this handler; it never reaches the wire.
    static let targetField = "Ferry-Request-Target"
    /// The name of the field that carries the number of the exchange; it never reaches the wire either.
    static let exchangeField = "Ferry-Exchange"
    /// Maximum bytes of the names and values of a response's fields together.
    static let headLimit = 256 * 1024
    /// Maximum interim (1xx) responses to one request.
    static let interimLimit = 16

    private enum State {
        /// No request is under way. Exits: `requested`.
        case idle
        /// Waiting for the final head. Exits: `responding`, `broken`.
        case requested(interimResponses: Int)
        /// The body is arriving. Exits: `idle`, `broken`.
        case responding
        /// A rule was broken and the connection is being closed.
        case broken
    }

    private let directory: ExchangeDirectory
    private let buffers: BufferPlan
    private var exchange: Exchange?
    private var state = State.idle
    /// Whether the connection has carried an earlier request.
    private var isReused = false
    /// The number of bytes of the body that have arrived.
    private var arrived = 0
    /// Maximum bytes of one read at present.
    private var portion: Int

    /// - Parameter buffers: the plan for the sizes of reads.
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
            // Not at once: the writer is in the middle of a state change.
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
            // The parser passes it, but the client traps at whatever follows such a head.
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
            // Unrequested data; the connection cannot be trusted with another request.
            context.close(promise: nil)
        }
    }

    /// Closes a connection in the middle of a response without TLS's closing alert.
    ///
    /// The server would answer the alert only after the rest of its response. Until then, or until the
    /// shutdown timeout, all those bytes would be received and decrypted for nothing.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let isBetweenResponses = if case .idle = state { true } else { false }
        guard mode == .all, !isBetweenResponses, let security = context.pipeline.security else {
            return context.close(mode: mode, promise: promise)
        }
        // Closing from the TLS handler's place in the pipeline bypasses it.
        security.close(mode: mode, promise: promise)
    }

    func read(context: ChannelHandlerContext) {
        adaptPortion(context)
        context.read()
    }

    /// Sets the size of a read to fit the pace of the response and the bytes that have arrived.
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

    func channelInactive(context: ChannelHandlerContext) {
        exchange = nil
        context.fireChannelInactive()
    }

    /// Why the server is not the one that the request is for; `nil` when it is.
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

/// A rule of HTTP, or a bound of Ferry, that a response violates.
enum ProtocolViolation: Error, Hashable, Sendable {
    /// The fields are larger than ``ConnectionGuard/headLimit``.
    case headTooLarge
    /// More 1xx responses than ``ConnectionGuard/interimLimit``.
    case tooManyInterimResponses
    /// The status code is below 100 (RFC 9110 §15).
    case invalidStatus
    /// 101 without a requested upgrade.
    case unaskedUpgrade
    /// A message ended that had not begun.
    case endWithoutHead
    /// `Content-Length` is not a number, or several differ.
    case invalidContentLength
    /// `Content-Length` and `Transfer-Encoding` together.
    case ambiguousFraming
    /// A transfer coding other than `chunked`, or chunks in HTTP/1.0.
    case unknownTransferCoding
    /// A field has an invalid name.
    case invalidFieldName

    /// The violation in words, to follow "The server's answer".
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
