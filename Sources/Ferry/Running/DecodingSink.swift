import FerryCore
import Synchronization

/// Decodes a body on its way, and writes the result.
final class DecodingSink: ByteSink {
    private struct State {
        /// The offset after the last byte written.
        var end: Int64
        var isStopped = false
    }

    private let decoder: any ContentDecoder
    private let sink: any ByteSink
    private let limit: Int64
    private let state: Mutex<State>

    /// Creates a sink.
    ///
    /// - Parameters:
    ///   - decoder: the decoder of the body.
    ///   - start: the offset of the first decoded byte.
    ///   - limit: the length of the file, if known; bytes beyond it are not written.
    ///   - sink: the sink of the decoded bytes.
    init(_ decoder: any ContentDecoder, at start: Int64, limit: Int64?, before sink: any ByteSink) {
        self.decoder = decoder
        self.sink = sink
        self.limit = min(limit ?? .max, ByteRange.longestResource)
        state = Mutex(State(end: start))
    }

    /// The offset after the last byte written.
    var end: Int64 { state.withLock { $0.end } }

    /// Stops writing: a few bytes may expand to many, and a stop must not wait for all of them.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Notes that the body has ended; throws if it is incomplete.
    func finish() throws(StorageProblem) { try decoder.finish() }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        try decoder.decode(bytes) { piece throws(StorageProblem) in
            let (offset, isStopped) = state.withLock { ($0.end, $0.isStopped) }
            guard !isStopped else {
                throw StorageProblem(.transient(.connectionLost, "The connection was cut."), errno: 0)
            }
            guard Int64(piece.byteCount) <= limit - offset else {
                throw StorageProblem(
                    .permanent(
                        .checksumMismatch,
                        "The file has more than the expected \(ByteCount(limit).formatted)."
                    ),
                    errno: 0
                )
            }
            try sink.write(piece, at: offset)
            state.withLock { $0.end = offset + Int64(piece.byteCount) }
        }
    }
}
