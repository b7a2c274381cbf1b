internal import NIOCore
internal import NIOSSL

extension ChannelPipeline {
    /// Where a connection is encrypted and decrypted; `nil` for one in clear text. Asked for on its event loop.
    var security: ChannelHandlerContext? {
        do {
            return try syncOperations.context(handlerType: NIOSSLClientHandler.self)
        } catch {
            // There is no such handler, and no other way to ask.
            return nil
        }
    }
}
