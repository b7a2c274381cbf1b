import FerryCore
import HTTPTypes

/// The exchanges of uploads in parts.
extension SimulatedTransport {
    /// Carries a request to the server of uploads.
    func deposit<Result: Sendable>(
        _ request: TransportRequest,
        on connection: SimulatedConnection,
        _ start: WireConnection.BodyStart,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result {
        let (dice, depot) = (world.dice, world.depot)
        try await base.pace()
        guard !world.network.isAway else { throw world.noRoute() }
        let isFaulty = dice.happens(world.rates.calls)
        let fault = isFaulty ? dice.number(in: 0..<9) : 9
        if fault == 0 { throw Problem.transient(.connectionLost, "It was lost before anything left.") }
        request.listener?.requestMayLeave()
        if connection.isLeft { throw connection.lose() }
        let bytes = try Self.bytes(of: request.body)
        // The server may keep what came before the connection broke.
        if fault == 1 || fault == 2 {
            let count = dice.number(in: 0..<bytes.count + 1)
            try await connection.send(count, start)
            try await base.pace()
            if count > 0 || bytes.isEmpty, dice.happens(700) {
                _ = depot.receive(request, Array(bytes[..<count]))
            }
            world.trace.count(.uploadCut)
            throw connection.lose()
        }
        try await connection.send(bytes.count, start)
        request.listener?.bodyLeft(upTo: Int64(bytes.count))
        do {
            for _ in 0...(bytes.count / base.pieceLength) { try await base.pace() }
        } catch {
            if dice.happens(500) { _ = depot.receive(request, bytes) }
            throw error
        }
        let head = answer(to: request, bytes, fault)
        try await base.pace()
        switch fault {
        case 5, 6:
            world.trace.count(.uploadAnswerLost)
            throw connection.lose()
        case 7:
            world.trace.count(.stalled)
            try await base.stalls.wait()
            guard process.isRunning else { throw CancellationError() }
        case 8:
            world.trace.count(.timedOut)
            try await base.timeOut(after: .seconds(dice.number(in: 1..<60)))
        default: break
        }
        return try await handle(
            try connection.head(head, request.listener),
            WiredBody(base: NoBody(), connection: connection)
        )
    }

    /// The answer of the server to a whole request.
    private func answer(to request: TransportRequest, _ bytes: [UInt8], _ fault: Int) -> ResponseHead {
        let (dice, depot) = (world.dice, world.depot)
        switch fault {
        case 3:
            world.trace.count(.serverBusy)
            return ResponseHead(
                status: dice.pick([423, 429, 503]),
                headers: [.retryAfter: "3"],
                bodyLength: 0
            )
        case 4:
            world.trace.count(.serverError)
            if dice.happens(500) { _ = depot.receive(request, bytes) }
            return ResponseHead(status: dice.pick([500, 502]), headers: [:], bodyLength: 0)
        default: return depot.receive(request, bytes)
        }
    }

    /// The bytes of a body as they are now.
    private static func bytes(of body: RequestBody) throws(Problem) -> [UInt8] {
        switch body {
        case .bytes(let bytes): return bytes
        case .source(let source):
            var bytes = [UInt8](repeating: 0, count: Int(source.length ?? 0))
            var start = 0
            while start < bytes.count {
                let result = bytes.withUnsafeMutableBytes { buffer in
                    Swift.Result { () throws(Problem) -> Int in
                        try source.read(
                            at: Int64(start),
                            into: UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
                        )
                    }
                }
                let count = try result.get()
                guard count > 0 else { break }
                start += count
            }
            return bytes
        }
    }
}
