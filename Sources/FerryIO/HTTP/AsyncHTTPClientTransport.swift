internal import AsyncHTTPClient
internal import Dispatch
package import FerryCore
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// The live transport: AsyncHTTPClient over sockets.
///
/// The path of a body: the kernel fills a receive buffer of the connection. The event loop parses it and
/// hands the bytes on without copying. A queue of bounded length connects network and disk, and an I/O thread
/// writes to the sink. When the queue is full, the event loop stops reading from the socket, so that TCP
/// slows the server down. Memory stays bounded whatever a server sends (I9).
///
/// HTTP/1.1 only: a large body costs less on its own connection than in an HTTP/2 stream.
///
/// Call ``shutdown()`` before the last reference is dropped.
package final class AsyncHTTPClientTransport: HTTPTransport {
    private let threads: IOThreads
    private let buffers: BufferPlan
    private let loops: MultiThreadedEventLoopGroup
    private let directory = ExchangeDirectory()
    private let names: NameLookups
    private let clients: HTTPClientPool
    private let keepsIdleConnections: Bool
    private let stallClock: StallClock

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - threads: the threads that write bodies and read certificates; they must outlive the transport.
    ///   - eventLoops: the number of threads that serve connections. One saturates a fast network in clear
    ///     text; the second is for decryption.
    ///   - keepsIdleConnections: whether a connection stays open after a response, for the next request.
    package convenience init(
        threads: IOThreads,
        eventLoops: Int = 2,
        keepsIdleConnections: Bool = true
    ) {
        self.init(
            threads: threads,
            eventLoops: eventLoops,
            buffers: BufferPlan(),
            keepsIdleConnections: keepsIdleConnections
        )
    }

    init(
        threads: IOThreads,
        eventLoops: Int,
        buffers: BufferPlan,
        keepsIdleConnections: Bool = true,
        names: NameLookups = NameLookups(),
        stallClock: StallClock = .live
    ) {
        self.keepsIdleConnections = keepsIdleConnections
        self.threads = threads
        self.names = names
        self.stallClock = stallClock
        self.buffers = buffers
        loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, eventLoops))
        clients = HTTPClientPool(loops: loops, threads: threads, buffers: buffers, directory: directory)
    }

    /// Sends a request over a connection of the client that matches its options.
    ///
    /// A server may close a kept connection just as the next request is sent (RFC 9112 §9.3.1). Such a
    /// request is sent once more, at once and on a new connection, if its method allows it (RFC 9110 §9.2.2).
    package func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        var route = try Route(request)
        // A kept connection may be closed at this moment, and then it is unknown whether the request arrived.
        if !request.method.isIdempotent { route.client.isSingleUse = true }
        do {
            return try await exchange(request, by: route, handle)
        } catch is StaleConnection {
            route.client.isSingleUse = true
            return try await exchange(request, by: route, handle)
        }
    }

    /// Sends a request once.
    ///
    /// - Throws: ``StaleConnection`` when it may be sent again; never for a single-use connection.
    private func exchange<Result: Sendable>(
        _ request: TransportRequest,
        by route: Route,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        var message = try route.message(for: request)
        let exchange = Exchange(request, route: route, clock: stallClock)
        let number = try directory.enter(exchange)
        defer { directory.leave(number) }
        try await find(request, by: route)
        let client = try await clients.client(for: route.client)
        defer { clients.release(route.client) }

        message.headers.replaceOrAdd(name: ConnectionGuard.exchangeField, value: String(number))
        if !keepsIdleConnections { message.headers.replaceOrAdd(name: "Connection", value: "close") }
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

    /// Waits until the name of the peer is resolved.
    private func find(_ request: TransportRequest, by route: Route) async throws {
        let classifier = ProblemClassifier(request, route: route)
        let host = route.proxy?.host ?? request.url.host
        if let reason = IPAddress(host)?.impossibility { throw classifier.problem(of: reason) }
        do {
            let patience = request.connection.connectTimeout
            let answer = try await names.find(host, within: patience, on: loops.next())
            if let problem = classifier.problem(of: answer) { throw problem }
        } catch is NameLookups.TookTooLong {
            throw classifier.lookupTookTooLong
        }
    }

    /// Closes the connections and stops the event loops.
    ///
    /// Returns after at most one second. A connection being established may keep its thread for its connect
    /// timeout; it ends by itself, and no one has to wait for it.
    package func shutdown() async {
        names.shutdown()
        let done = Outcome<Void>()
        let isFirst = directory.close { [clients, loops] in
            clients.shutdown {
                loops.shutdownGracefully { _ in done.resolve(.success(())) }
            }
        }
        guard isFirst else { return }
        // Uses another clock than the event loops', because they are about to stop.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(1)) { done.resolve(.success(())) }
        do {
            try await done.value()
        } catch {
            // It never fails.
        }
    }

    /// Lets every event loop finish its pending work; for tests.
    func turnLoops() async throws {
        for loop in loops.makeIterator() { try await loop.submit {}.get() }
    }
}
