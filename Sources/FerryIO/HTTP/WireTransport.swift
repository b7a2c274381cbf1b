internal import Dispatch
package import FerryCore
internal import NIOCore
internal import NIOPosix

/// The live transport: HTTP/1.1 over sockets.
///
/// The path of a body: the kernel fills a receive buffer of the connection. The event loop finds the body in it and hands
/// the bytes on without copying. A queue of bounded length connects network and disk. An I/O thread writes to the sink,
/// or the event loop itself where nothing has to wait for it (``LoopWriting``). When the queue is full, the event loop
/// stops reading from the socket, so that TCP slows the server down. Memory stays bounded whatever a server sends (I9).
///
/// HTTP/1.1 only: a large body costs less on its own connection than in an HTTP/2 stream.
///
/// Call ``shutdown()`` before the last reference is dropped.
package final class WireTransport: HTTPTransport {
    private let threads: IOThreads
    private let buffers: BufferPlan
    private let loops: MultiThreadedEventLoopGroup
    private let directory = ExchangeDirectory()
    private let names: NameLookups
    private let pool: ConnectionPool
    private let keepsIdleConnections: Bool

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
        stallClock: StallClock = .live,
        continueWait: Duration = .seconds(1),
        shortBodyWait: Duration = .milliseconds(10),
        limits: WirePool.Limits = WirePool.Limits()
    ) {
        self.keepsIdleConnections = keepsIdleConnections
        self.threads = threads
        self.names = names
        self.buffers = buffers
        loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, eventLoops))
        pool = ConnectionPool(
            ConnectionOpening.Resources(
                loops: loops,
                names: names,
                contexts: TLSContexts(threads: threads),
                threads: threads,
                buffers: buffers,
                continueWait: continueWait,
                stallClock: stallClock,
                shortBodyWait: shortBodyWait
            ),
            limits: limits
        )
    }

    /// Sends a request over a connection that matches its options, when its rate limits let it.
    ///
    /// A server may close a kept connection just as the next request is sent (RFC 9112 §9.3.1). Such a request is sent
    /// once more, at once and on a new connection, if it is repeatable (RFC 9110 §9.2.2). One that the server has
    /// refused because of its expectation is sent once more without it (RFC 9110 §10.1.1).
    package func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try await request.pace.awaitTurn()
        var plan = SendPlan(isRepeatable: request.isRepeatable)
        while true {
            do {
                return try await exchange(request, plan.need, mayExpect: plan.mayExpect, handle)
            } catch is ExpectationFailed {
                plan.dropExpectation()
            } catch let unanswered as Exchange.Unanswered {
                guard !unanswered.isFinal, plan.resends(after: unanswered.loss) else {
                    throw unanswered.problem
                }
            }
        }
    }

    /// The server has refused a request only because it announced to wait for 100 Continue.
    private struct ExpectationFailed: Error {}

    /// Sends a request once.
    ///
    /// - Throws: ``Exchange/Unanswered`` when it got no answer; ``ExpectationFailed``.
    private func exchange<Result: Sendable>(
        _ request: TransportRequest,
        _ need: WirePool.Need,
        mayExpect: Bool,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let key = WireKey(request.url, request.connection)
        let exchange = Exchange(request, over: key, closes: !keepsIdleConnections, mayExpect: mayExpect)
        try directory.enter(exchange)
        defer { directory.leave(exchange) }
        return try await withTaskCancellationHandler {
            pool.request(key, need, for: exchange, within: request.connection.connectTimeout)
            do {
                let head = try await exchange.head.value()
                if head.status == 417, exchange.message.expectsContinue { throw ExpectationFailed() }
                let body = HeldBody(
                    exchange: exchange,
                    directory: directory,
                    threads: threads,
                    buffers: buffers
                )
                let result = try await handle(head, body)
                try await exchange.finish()
                return result
            } catch {
                await exchange.abandon()
                throw error
            }
        } onCancel: {
            exchange.fail(CancellationError())
        }
    }

    /// Closes the connections and stops the event loops.
    ///
    /// Returns after at most one second: no caller needs to wait for a connection that is still closing.
    package func shutdown() async {
        names.shutdown()
        let done = AwaitedResult<Void>()
        let isFirst = directory.close { [pool, loops] in
            pool.shutdown {
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
