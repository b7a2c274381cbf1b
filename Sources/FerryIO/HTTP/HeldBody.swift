internal import FerryCore

/// The body of a response, held back until it is requested.
struct HeldBody: ResponseBody {
    let exchange: Exchange
    let directory: ExchangeDirectory
    let threads: IOThreads
    let buffers: BufferPlan

    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        if let limit, case .length(let length)? = exchange.framing, length > limit {
            let tooLong = exchange.tooLong
            exchange.fail(tooLong)
            throw tooLong
        }
        let writer = BodyWriter(
            of: exchange,
            in: directory,
            sink: sink,
            at: offset,
            limit: limit,
            bound: bound,
            buffers: exchange.isEncrypted ? buffers.overTLS : buffers,
            threads: threads,
            progress: progress
        )
        return try await withTaskCancellationHandler {
            try exchange.take(writer)
            return try await writer.count.value()
        } onCancel: {
            // The exchange may have ended while the last bytes still wait for the disk, so the writer is told
            // separately.
            exchange.fail(CancellationError())
            writer.fail(CancellationError())
        }
    }

    func collect(upTo bound: Int) async throws -> [UInt8] {
        let collector = BodyCollector(bound: bound)
        return try await withTaskCancellationHandler {
            try exchange.take(collector)
            return try await collector.bytes.value()
        } onCancel: {
            exchange.fail(CancellationError())
            collector.fail(CancellationError())
        }
    }

    func takeWhole(upTo bound: Int) -> [UInt8]? { exchange.takeWhole(upTo: bound) }
}
