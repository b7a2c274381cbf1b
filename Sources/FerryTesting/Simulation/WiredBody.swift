import FerryCore

/// A body on its way over a connection: what the origin gives is what the server writes.
struct WiredBody: ResponseBody {
    let base: any ResponseBody
    let connection: SimulatedConnection

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        do {
            let count = try await base.receive(
                into: WireTap(connection: connection, sink: sink),
                at: offset,
                limit: limit,
                bound: bound,
                progress: progress
            )
            try connection.endBody()
            return count
        } catch let problem as Problem where problem.failure.code == .connectionLost {
            return try connection.breakOff()
        }
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        do {
            let bytes = try await Array(connection.body(base.collect(upTo: bound)).joined())
            try connection.endBody()
            return bytes
        } catch let problem as Problem where problem.failure.code == .connectionLost {
            _ = try connection.breakOff()
            return []
        }
    }

    func takeWhole(upTo bound: Int) -> [UInt8]? {
        guard let bytes = base.takeWhole(upTo: bound) else { return nil }
        do throws(Problem) {
            let read = Array(try connection.body(bytes).joined())
            try connection.endBody()
            return read
        } catch {
            // The connection has complained.
            return nil
        }
    }
}
