internal import AsyncHTTPClient
internal import Dispatch
public import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The live transport: AsyncHTTPClient over sockets.
///
/// A body takes this way: the kernel fills a receive buffer of the connection, the event loop parses it and
/// hands the bytes on without copying, a queue of bounded length joins network and disk, and a thread for I/O
/// writes them to the sink. When the queue is full the event loop stops reading from the socket, so that TCP
/// itself slows the server down; memory stays bounded whatever a server sends (I9).
///
/// HTTP/1.1 only: a large body travels cheaper in a connection of its own than in a stream of HTTP/2.
///
/// ``shutdown()`` must be called before the last reference is dropped.
public final class AsyncHTTPClientTransport: HTTPTransport {
    private let threads: IOThreads
    private let buffers: BufferPlan
    private let loops: MultiThreadedEventLoopGroup
    private let directory = ExchangeDirectory()
    private let clients: HTTPClientPool

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - threads: the threads on which bodies are written and certificates are read; they must outlive the
    ///     transport.
    ///   - eventLoops: how many threads serve the connections. One saturates a fast network in clear text;
    ///     the second is for decryption.
    public convenience init(threads: IOThreads, eventLoops: Int = 2) {
        self.init(threads: threads, eventLoops: eventLoops, buffers: BufferPlan())
    }

    init(threads: IOThreads, eventLoops: Int, buffers: BufferPlan) {
        self.threads = threads
        self.buffers = buffers
        loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, eventLoops))
        clients = HTTPClientPool(loops: loops, threads: threads, buffers: buffers, directory: directory)
    }

    /// Sends a request over a connection of the client that its options call for.
    public func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let route = try Route(request)
        var message = try route.message(for: request)
        let exchange = Exchange(request, route: route)
        let number = try directory.enter(exchange)
        defer { directory.leave(number) }
        let client = try await clients.client(for: route.client)
        defer { clients.release(route.client) }

        message.headers.replaceOrAdd(name: ConnectionGuard.exchangeField, value: String(number))
        return try await withTaskCancellationHandler {
            exchange.begin(client.execute(request: message, delegate: exchange, eventLoop: .indifferent))
            do {
                let head = try await exchange.head.value()
                let result = try await handle(
                    head,
                    HeldBody(exchange: exchange, threads: threads, buffers: buffers)
                )
                await exchange.finish()
                return result
            } catch {
                await exchange.abandon()
                throw error
            }
        } onCancel: {
            exchange.fail(CancellationError())
        }
    }

    /// Closes the connections and ends the event loops.
    ///
    /// Returns after a second at the latest. A connection that is just being made may keep its thread for as
    /// long as its connect timeout; it ends by itself, and nobody has to wait for it.
    public func shutdown() async {
        let done = Outcome<Void>()
        let isFirst = directory.close { [clients, loops] in
            clients.shutdown {
                loops.shutdownGracefully { _ in done.resolve(.success(())) }
            }
        }
        guard isFirst else { return }
        // A clock of its own: the event loops are about to go.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { done.resolve(.success(())) }
        do {
            try await done.value()
        } catch {
            // It only ever succeeds.
        }
    }

    /// Lets every event loop finish what it has begun; for tests.
    func turnLoops() async throws {
        for loop in loops.makeIterator() { try await loop.submit {}.get() }
    }
}
