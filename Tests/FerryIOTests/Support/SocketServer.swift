import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL

/// A TCP server that plays scripts: it reads a request's head as raw text and writes raw bytes back.
///
/// Each connection is given to `script` as a ``SocketConnection``; the script decides byte by byte what the
/// server does. Nothing here knows HTTP beyond the empty line that ends a head, so any breach can be scripted.
final class SocketServer: Sendable {
    let port: Int
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let listener: any Channel
    private let heads = NIOLockedValueBox<[String]>([])
    private let channels = NIOLockedValueBox<[any Channel]>([])
    private let sent = NIOLockedValueBox(0)
    private let accepted: AsyncStream<SocketConnection>
    private let runner: AsyncStream<SocketConnection>.Continuation

    /// The heads of all requests so far, in order.
    var requests: [String] { heads.withLockedValue { $0 } }

    /// How many connections were made.
    var connectionCount: Int { channels.withLockedValue { $0.count } }

    /// The addresses from which connections were made, in order.
    var peers: [String?] { channels.withLockedValue { $0.map { $0.remoteAddress?.ipAddress } } }

    /// How many bytes the kernel has taken from all scripts.
    var bytesSent: Int { sent.withLockedValue { $0 } }

    init(tls: NIOSSLContext? = nil) async throws {
        let (accepted, runner) = AsyncStream.makeStream(of: SocketConnection.self)
        self.accepted = accepted
        self.runner = runner
        let channels = channels
        let heads = heads
        let sent = sent
        listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    }
                    let connection = SocketConnection(channel: channel, heads: heads, sent: sent)
                    try channel.pipeline.syncOperations.addHandler(ConnectionReader(connection: connection))
                    channels.withLockedValue { $0.append(channel) }
                    runner.yield(connection)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// Serves connections with `script` while `body` runs, then closes everything.
    func serve<Result: Sendable>(
        _ script: @escaping @Sendable (SocketConnection) async throws -> Void,
        while body: @Sendable (SocketServer) async throws -> Result
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await withTaskGroup(of: Void.self) { scripts in
                    for await connection in self.accepted {
                        scripts.addTask {
                            // A client that goes away in the middle ends its script, not the test.
                            do { try await script(connection) } catch { connection.reset() }
                        }
                    }
                }
            }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(self)) } catch { result = .failure(error) }
            try await listener.close()
            runner.finish()
            // A script that still sends or waits is ended by the end of its connection.
            for channel in channels.withLockedValue({ $0 }) { channel.close(promise: nil) }
            // One that waits for something that never happened in a client that failed, by its cancellation.
            tasks.cancelAll()
            try await tasks.waitForAll()
            try await group.shutdownGracefully()
            return try result.get()
        }
    }
}

/// One connection to a ``SocketServer``.
final class SocketConnection: Sendable {
    /// The client is gone.
    struct Gone: Error {}

    private let channel: any Channel
    private let heads: NIOLockedValueBox<[String]>
    private let incoming: AsyncStream<[UInt8]>
    let arrivals: AsyncStream<[UInt8]>.Continuation
    private let unread = NIOLockedValueBox<[UInt8]>([])
    private let sent: NIOLockedValueBox<Int>
    private let cutOff = NIOLockedValueBox(false)

    /// Whether the client ended the connection without the farewell of TLS.
    var wasCutOff: Bool { cutOff.withLockedValue { $0 } }

    init(channel: any Channel, heads: NIOLockedValueBox<[String]>, sent: NIOLockedValueBox<Int>) {
        self.channel = channel
        self.sent = sent
        self.heads = heads
        (incoming, arrivals) = AsyncStream.makeStream()
    }

    /// Reads up to the empty line and returns the text before it.
    @discardableResult
    func readHead() async throws -> String {
        let end: [UInt8] = [13, 10, 13, 10]
        while true {
            let head = unread.withLockedValue { unread -> [UInt8]? in
                guard unread.count >= 4 else { return nil }
                for start in 0...(unread.count - 4) where Array(unread[start..<(start + 4)]) == end {
                    defer { unread.removeFirst(start + 4) }
                    return Array(unread[..<start])
                }
                return nil
            }
            if let head {
                let text = String(decoding: head, as: UTF8.self)
                heads.withLockedValue { $0.append(text) }
                return text
            }
            try await readMore()
        }
    }

    /// Reads exactly `count` bytes.
    func read(_ count: Int) async throws -> [UInt8] {
        while unread.withLockedValue({ $0.count < count }) { try await readMore() }
        return unread.withLockedValue { unread in
            defer { unread.removeFirst(count) }
            return Array(unread[..<count])
        }
    }

    /// Reads the chunks of a body up to the last.
    func readChunks() async throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            var line: [UInt8] = []
            while line.suffix(2) != [13, 10] { line += try await read(1) }
            guard let count = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16) else {
                throw Gone()
            }
            body += try await read(count + 2).dropLast(2)
            if count == 0 { return body }
        }
    }

    /// Writes text; lines end as written.
    func send(_ text: String) async throws {
        try await send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
        sent.withLockedValue { $0 += bytes.count }
    }

    fileprivate func noteCutOff() {
        cutOff.withLockedValue { $0 = true }
    }

    /// Closes in order: what was written arrives.
    func close() async {
        do {
            try await channel.close()
        } catch {
            // The client was first.
        }
    }

    /// Closes with RST, and without a farewell of TLS.
    func reset() {
        let channel = channel
        guard let sockets = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
        sockets.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in
            let pipeline = channel.pipeline.syncOperations
            do {
                // Closing from its own place in the pipeline passes by the TLS handler.
                try pipeline.context(handlerType: NIOSSLServerHandler.self).close(promise: nil)
            } catch {
                channel.close(promise: nil)
            }
        }
    }

    /// Waits until the client closes; returns at once when the test is over.
    func waitUntilClosed() async {
        while true {
            do { try await readMore() } catch { return }
        }
    }

    /// Splices this connection to another server, as a proxy does.
    func tunnel(to port: Int) async throws {
        let rest = unread.withLockedValue { unread in
            defer { unread = [] }
            return unread
        }
        let channel = channel
        let far = try await ClientBootstrap(group: channel.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture {
                    try far.pipeline.syncOperations.addHandler(Splice(to: channel))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        if !rest.isEmpty { try await far.writeAndFlush(ByteBuffer(bytes: rest)).get() }
        for await bytes in incoming { try await far.writeAndFlush(ByteBuffer(bytes: bytes)).get() }
        try await far.close()
    }

    private func readMore() async throws {
        for await bytes in incoming {
            unread.withLockedValue { $0 += bytes }
            return
        }
        throw Gone()
    }
}

/// Brings what arrives on a channel to its ``SocketConnection``.
private final class ConnectionReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let connection: SocketConnection

    init(connection: SocketConnection) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.arrivals.yield(Array(unwrapInboundIn(data).readableBytesView))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { connection.arrivals.finish() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.arrivals.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case NIOSSLError.uncleanShutdown = error { connection.noteCutOff() }
        context.close(promise: nil)
    }
}

/// Passes what arrives on one channel to another.
private final class Splice: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let near: any Channel

    init(to near: any Channel) {
        self.near = near
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        near.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        near.close(promise: nil)
    }
}
