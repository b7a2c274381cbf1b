import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload

/// A server of resumable uploads by swift-nio-extras.
///
///     upload-application PORT DIRECTORY
@main
struct UploadApplication {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let directory = arguments[2]
        // Without an origin, the URLs of uploads are relative, and lead through whatever is in front of the server.
        let uploads = HTTPResumableUploadContext(origin: "")
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(
                            context: uploads,
                            handlers: [FileReceiver(directory: directory)]
                        )
                    )
                }
            }
            .bind(host: "127.0.0.1", port: Int(arguments[1])!).get()
        try await server.closeFuture.get()
    }
}
