import FerryCore
import HTTPTypes
import Logging
import Synchronization

/// Tells a log of each request and its answer: the connection at `debug`, the header fields at `trace`. Secrets are
/// masked (I7).
///
/// The lines of an exchange begin with its number, because several run at once. Connections have numbers of their own, because
/// one carries many exchanges:
///
///     [1] * Connected to 192.0.2.7:443 with TLS 1.3 (connection 1).
///     [1] > GET https://example.org/image.iso (bytes=1048576-)
///     [1] < 206, bytes 1048576-4194303/4194304, 3145728 bytes follow
///
/// The lines are for a person who typed `-v`; hence they have no metadata.
struct TracedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let logger: Logger
    private let counter = Counter()

    /// - Parameter base: the transport that carries the requests.
    init(_ base: any HTTPTransport, logger: Logger) {
        (self.base, self.logger) = (base, logger)
    }

    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        let trace = ExchangeTrace(of: request, number: counter.next(), logger: logger)
        var traced = request
        traced.listener = trace
        do {
            return try await base.withResponse(to: traced) { head, body in
                trace.answered(head)
                return try await handle(head, body)
            }
        } catch {
            trace.failed(error)
            throw error
        }
    }

    func shutdown() async { await base.shutdown() }

    /// Numbers the exchanges.
    private final class Counter: Sendable {
        private let latest = Mutex(0)

        func next() -> Int {
            latest.withLock { latest in
                latest += 1
                return latest
            }
        }
    }
}

/// Tells a log of one exchange, and passes all reports on.
private final class ExchangeTrace: ExchangeListener {
    private let request: TransportRequest
    private let number: Int
    private let logger: Logger

    init(of request: TransportRequest, number: Int, logger: Logger) {
        (self.request, self.number, self.logger) = (request, number, logger)
    }

    func carried(by connection: () -> ConnectionFacts) {
        let facts = connection()
        let peer = (facts.peer ?? request.url.hostAndPort) + (facts.security.map { " with \($0)" } ?? "")
        tell(
            facts.isReused
                ? "* Reused connection \(facts.number) to \(peer)."
                : "* Connected to \(peer) (connection \(facts.number))."
        )
        request.listener?.carried { facts }
    }

    func requestMayLeave() {
        let range = request.headers[.range].map { " (\($0))" } ?? ""
        tell("> \(request.method.rawValue) \(request.url.redacted)\(range)")
        for field in request.headers { detail("> \(ShownField(sent: field))") }
        request.listener?.requestMayLeave()
    }

    func bodyLeft(upTo count: Int64) { request.listener?.bodyLeft(upTo: count) }

    func received(interim: ResponseHead) {
        tell("< \(interim.status), another answer follows")
        request.listener?.received(interim: interim)
    }

    /// The head of the answer has arrived.
    func answered(_ head: ResponseHead) {
        var parts = ["\(head.status)"]
        if let range = head.headers[.contentRange] { parts.append(range) }
        if head.status == 304 {
            parts.append("the file is unchanged")
        } else if let length = head.bodyLength {
            parts.append("\(length) bytes follow")
        }
        if let location = head.headers[.location], (300..<400).contains(head.status) {
            parts.append("leads to \(ShownField.target(location, from: request.url))")
        }
        tell("< \(parts.joined(separator: ", "))")
        for field in head.headers { detail("< \(ShownField(received: field, from: request.url))") }
    }

    /// The exchange has failed, or was cut off.
    func failed(_ error: any Error) {
        switch error {
        case let problem as Problem: tell("* \(problem.failure.message)")
        case is CancellationError: tell("* Stopped.")
        default: tell("* \(error)")
        }
    }

    private func tell(_ line: @autoclosure () -> String) { logger.debug("[\(number)] \(line())") }

    private func detail(_ line: @autoclosure () -> String) { logger.trace("[\(number)] \(line())") }
}
