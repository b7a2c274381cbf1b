import FerryCore
import Synchronization

/// A transport whose bodies have arrived as a whole when their heads are reported.
final class WholeBodyTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let receptions = Mutex(0)

    init(_ base: any HTTPTransport) {
        self.base = base
    }

    /// The number of bodies that were received nevertheless.
    var receptionCount: Int { receptions.withLock { $0 } }

    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        try await base.withResponse(to: request) { head, body in
            let bytes = try await body.collect(upTo: .max)
            return try await handle(head, WholeBody(bytes: bytes, base: body, transport: self))
        }
    }

    func shutdown() async { await base.shutdown() }

    fileprivate func noteReception() {
        receptions.withLock { $0 += 1 }
    }
}

private struct WholeBody: ResponseBody {
    let bytes: [UInt8]
    let base: any ResponseBody
    let transport: WholeBodyTransport

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        transport.noteReception()
        return try await base.receive(into: sink, at: offset, limit: limit, bound: bound, progress: progress)
    }

    func collect(upTo bound: Int) async throws -> [UInt8] { Array(bytes.prefix(bound)) }

    func takeWhole(upTo bound: Int) -> [UInt8]? { bytes.count <= bound ? bytes : nil }
}
