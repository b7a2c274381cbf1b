internal import NIOCore
internal import NIOSSL
internal import NIOTLS

/// Waits for the handshake of the TLS handler, then checks that the server is the requested one.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// The host that the certificate must be for; `nil` if none is required.
    private let verifiedHost: String?
    private var promise: EventLoopPromise<Void>?
    /// Called when the server is verified, before any of its bytes can arrive.
    private let then: (ChannelHandlerContext) throws -> Void

    init(
        verifying host: String?,
        promise: EventLoopPromise<Void>,
        then: @escaping (ChannelHandlerContext) throws -> Void
    ) {
        verifiedHost = host
        self.promise = promise
        self.then = then
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent, let promise else { return }
        do {
            if let mismatch = mismatch(in: context) { throw OpeningFailure.mismatch(mismatch) }
            try then(context)
            self.promise = nil
            context.pipeline.syncOperations.removeHandler(self, promise: promise)
        } catch {
            fail(error, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        fail(OpeningFailure.broken(.handshaking, error), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        fail(OpeningFailure.broken(.handshaking, nil), context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        fail(OpeningFailure.broken(.handshaking, nil), context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        self.promise = nil
        promise.fail(error)
        context.close(promise: nil)
    }

    /// Why the server is not the requested one; `nil` when it is.
    private func mismatch(in context: ChannelHandlerContext) -> CertificateMismatch? {
        guard let verifiedHost else { return nil }
        do {
            guard let certificate = try context.pipeline.syncOperations.nioSSL_peerCertificate() else {
                return .otherName
            }
            let identity = CertificateIdentity(certificate)
            guard identity.namesHosts else { return .noName }
            return identity.covers(verifiedHost) ? nil : .otherName
        } catch {
            return .otherName
        }
    }
}
