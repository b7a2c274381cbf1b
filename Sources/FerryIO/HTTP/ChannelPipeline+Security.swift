internal import NIOCore
internal import NIOSSL

extension ChannelPipeline {
    /// The TLS handler of a connection; `nil` for clear text. Call it on the event loop.
    var security: ChannelHandlerContext? {
        do {
            return try syncOperations.context(handlerType: NIOSSLClientHandler.self)
        } catch {
            // There is no such handler, and no other way to ask.
            return nil
        }
    }
}
