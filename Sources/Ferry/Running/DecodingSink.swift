import FerryCore
import Synchronization

/// Decodes a body on its way, and writes what comes of it.
final class DecodingSink: ByteSink {
    private struct State {
        /// The offset behind the last byte that was written.
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
    ///   - decoder: what decodes the body.
    ///   - start: the offset of the first byte that it makes.
    ///   - limit: where the file has to end, if that is known; what is longer is not written.
    ///   - sink: where they are written.
    init(_ decoder: any ContentDecoder, at start: Int64, limit: Int64?, before sink: any ByteSink) {
        self.decoder = decoder
        self.sink = sink
        self.limit = min(limit ?? .max, ResponseJudge.longestResource)
        state = Mutex(State(end: start))
    }

    /// How far the file is written.
    var end: Int64 { state.withLock { $0.end } }

    /// Writes no more: a few bytes may make many, and whoever stops does not wait for all of them.
    func stop() { state.withLock { $0.isStopped = true } }

    /// The body has ended: throws unless it is whole.
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
                        "The file has more than the \(limit) bytes that it should have."
                    ),
                    errno: 0
                )
            }
            try sink.write(piece, at: offset)
            state.withLock { $0.end = offset + Int64(piece.byteCount) }
        }
    }
}
