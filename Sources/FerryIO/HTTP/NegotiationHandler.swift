internal import FerryCore
internal import NIOCore

/// Negotiates with a proxy, before anything else uses the connection.
final class NegotiationHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var negotiation: ProxyNegotiation
    private var bytes: [UInt8] = []
    /// Completed when the proxy has connected or has failed; `nil` after that.
    private var promise: EventLoopPromise<Void>?

    init(_ negotiation: ProxyNegotiation, promise: EventLoopPromise<Void>) {
        self.negotiation = negotiation
        self.promise = promise
    }

    func handlerAdded(context: ChannelHandlerContext) {
        write(negotiation.opening, context)
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        do {
            while promise != nil {
                switch try negotiation.receive(&bytes) {
                case .wait: return
                case .send(let message): write(message, context)
                case .established:
                    // Neither HTTP nor TLS lets a server speak first.
                    guard bytes.isEmpty else { throw OpeningFailure.tunnelFault(.unaskedUpgrade) }
                    end(.success(()), context)
                }
            }
        } catch {
            end(.failure(error), context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if promise != nil { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(.failure(OpeningFailure.broken(.negotiating, error)), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.failure(OpeningFailure.broken(.negotiating, nil)), context)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(.failure(OpeningFailure.broken(.negotiating, nil)), context)
    }

    private func write(_ message: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: message)), promise: nil)
    }

    private func end(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        guard let promise else { return }
        self.promise = nil
        if case .success = result {
            context.pipeline.syncOperations.removeHandler(self, promise: promise)
        } else {
            promise.completeWith(result)
            context.close(promise: nil)
        }
    }
}
