import FerryCore
import FerryTesting
import Foundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

@testable import FerryIO

/// Plays exchanges against the real transport, several at once, each with its own server.
struct RawTrial: Sendable {
    /// The results of the exchanges.
    struct Tally: Sendable {
        var executions = 0
        var answers = 0
        /// Bodies that were received to their ends.
        var bodies = 0
        var problems: [TransferFailure.Code: Int] = [:]
        /// Violations, with their seeds.
        var findings: [String] = []
    }

    private struct GivenUp: Error {}

    let transport: WireTransport
    /// How long a peer may be silent that keeps its connection open. A busy machine needs longer to bring an answer.
    let patience: Duration
    private let tally = NIOLockedValueBox(Tally())

    init(_ transport: WireTransport, patience: Duration = .milliseconds(100)) {
        (self.transport, self.patience) = (transport, patience)
    }

    /// Plays exchanges on `workers` servers until `next` gives no more seeds.
    ///
    /// - Parameter trace: a folder in which each worker notes the seed that it is at, to be found after a crash.
    func play(
        workers: Int,
        trace: URL?,
        next: @escaping @Sendable () -> UInt64?,
        of exchange: @escaping @Sendable (UInt64) -> RawExchange = { RawExchange(seed: $0) }
    ) async throws -> Tally {
        let certificate = try await TestCertificate()
        let context = try certificate.serverContext()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for worker in 0..<workers {
                tasks.addTask {
                    let server = try await RawServer(on: group, tls: context)
                    let note = try trace.map { try SeedNote(in: $0, worker: worker) }
                    while let seed = next() {
                        try note?.write(seed)
                        await execute(exchange(seed), on: server)
                    }
                    try await server.shutdown()
                }
            }
            try await tasks.waitForAll()
        }
        try await group.shutdownGracefully()
        try certificate.remove()
        return tally.withLockedValue { $0 }
    }

    private func execute(_ exchange: RawExchange, on server: RawServer) async {
        server.begin(exchange)
        var received: Int64 = 0
        for request in exchange.requests {
            received += await ask(request, in: exchange, of: server)
        }
        server.end()
        let sent = Int64(server.bytesSent)
        tally.withLockedValue { [received] tally in
            tally.executions += 1
            if received > sent {
                tally.findings.append("seed \(exchange.seed): \(received) bytes of \(sent)")
            }
        }
    }

    /// Sends one request, which has exactly one outcome.
    private func ask(
        _ request: RawExchange.Request,
        in exchange: RawExchange,
        of server: RawServer
    ) async -> Int64 {
        let began = ContinuousClock.now
        let (outcome, received) = await outcome(of: request, in: exchange, of: server)
        let took = ContinuousClock.now - began
        let isReadAlike = isReadAlike(outcome, received, request, exchange)
        tally.withLockedValue { tally in
            // Far above every timeout: a busy machine must not decide.
            if took > .seconds(300) { tally.findings.append("seed \(exchange.seed): took \(took)") }
            if !isReadAlike { tally.findings.append("seed \(exchange.seed): no other reader reads this") }
            switch outcome {
            case .success(let head):
                tally.answers += 1
                if case .receive(limit: nil) = request.treatment { tally.bodies += 1 }
                if !(200...999).contains(head.status) {
                    tally.findings.append("seed \(exchange.seed): status \(head.status)")
                }
            case .failure(let problem as Problem):
                tally.problems[problem.failure.code, default: 0] += 1
                if exchange.isEnding, problem.failure.code == .timeout {
                    tally.findings.append("seed \(exchange.seed): waited in vain")
                }
            case .failure(is GivenUp), .failure(is CancellationError):
                break
            case .failure(let error):
                tally.findings.append("seed \(exchange.seed): not classified: \(error)")
            }
        }
        return Int64(received.count)
    }

    /// Whether the bytes of the peer carry a body that was received to its end.
    private func isReadAlike(
        _ outcome: Result<ResponseHead, any Error>,
        _ body: [UInt8],
        _ request: RawExchange.Request,
        _ exchange: RawExchange
    ) -> Bool {
        guard case .success(let head) = outcome, case .receive(limit: nil) = request.treatment,
            let answers = exchange.answers
        else { return true }
        if let length = head.bodyLength, length != Int64(body.count) { return false }
        return answers.contains(SecondOpinion.Answer(status: head.status, body: body))
    }

    private func outcome(
        of request: RawExchange.Request,
        in exchange: RawExchange,
        of server: RawServer
    ) async -> (Result<ResponseHead, any Error>, [UInt8]) {
        let sink = MemorySink()
        do {
            let message = try message(request, in: exchange, of: server)
            guard case .cancel = request.treatment else {
                return (.success(try await fetch(message, request.treatment, into: sink)), sink.bytes)
            }
            return (.success(try await fetchCancelled(message, into: sink)), sink.bytes)
        } catch {
            return (.failure(error), sink.bytes)
        }
    }

    private func fetch(
        _ message: TransportRequest,
        _ treatment: RawExchange.Treatment,
        into sink: MemorySink,
        onHead: @escaping @Sendable () -> Void = {}
    ) async throws -> ResponseHead {
        try await transport.withResponse(to: message) { head, body in
            onHead()
            switch treatment {
            case .receive(let limit):
                _ = try await body.receive(into: sink, at: 0, limit: limit) { _ in }
            case .collect(let bound): _ = try await body.collect(upTo: bound)
            case .ignore: break
            case .fail: throw GivenUp()
            case .cancel: _ = try await body.receive(into: sink, at: 0, limit: nil) { _ in }
            }
            return head
        }
    }

    /// Cancels the request in the moment in which its head is there.
    private func fetchCancelled(
        _ message: TransportRequest,
        into sink: MemorySink
    ) async throws -> ResponseHead {
        let (heads, noteHead) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: ResponseHead.self) { tasks in
            tasks.addTask { try await fetch(message, .cancel, into: sink) { noteHead.yield() } }
            tasks.addTask {
                for await _ in heads { break }
                throw GivenUp()
            }
            defer { tasks.cancelAll() }
            guard let head = try await tasks.next() else { throw GivenUp() }
            return head
        }
    }

    private func message(
        _ request: RawExchange.Request,
        in exchange: RawExchange,
        of server: RawServer
    ) throws -> TransportRequest {
        var options = ConnectionOptions()
        options.connectTimeout = exchange.isEnding ? .seconds(60) : patience * 3
        options.idleTimeout = exchange.isEnding ? .seconds(60) : patience
        options.trustsAnyCertificate = true
        var url = "http://\(address(of: exchange)):\(server.port)/file"
        switch exchange.lane {
        case .plain: break
        case .secure, .brokenTLS: url = "https" + url.dropFirst(4)
        case .socks:
            options.proxy = Proxy(scheme: .socks5h, host: "127.0.0.1", port: server.port)
            url = "http://far.invalid/file"
        case .tunnel:
            options.proxy = Proxy(scheme: .http, host: "127.0.0.1", port: server.port)
            url = "https://far.invalid/file"
        }
        return TransportRequest(
            method: request.isHead ? .head : .get,
            url: try HTTPURL(parsing: url),
            headers: [:],
            connection: options
        )
    }

    /// One of many addresses of this machine, so that the ports of closed connections do not run out.
    private func address(of exchange: RawExchange) -> String {
        #if os(Linux)
        "127.0.\(exchange.seed % 2 + 1).\(exchange.seed / 2 % 100 + 1)"
        #else
        "127.0.0.1"
        #endif
    }
}

/// A small file with the seed that a worker is at.
private struct SeedNote {
    private let file: FileHandle

    init(in folder: URL, worker: Int) throws {
        let url = folder.appending(path: "worker-\(worker)")
        try Data().write(to: url)
        file = try FileHandle(forWritingTo: url)
    }

    func write(_ seed: UInt64) throws {
        let text = String(seed)
        try file.seek(toOffset: 0)
        try file.write(contentsOf: Data((text + String(repeating: " ", count: 20 - text.count) + "\n").utf8))
    }
}
