import FerryCore
import Synchronization

/// The orders that can be given to one connection: take the body, end it earlier, and stop.
final class ConnectionControl: Sendable {
    /// How a body is to be taken.
    struct ReceivePlan: Sendable {
        /// The offset of the body's first byte.
        var offset: Int64
        /// The most bytes that may come.
        var limit: Int64?
        /// Where the body is to end, if that is brought nearer.
        var bound: MovableBound
        /// Where they go.
        var sink: any ByteSink
        /// The same sink, when it compares an overlap first.
        var overlap: OverlapSink?
        /// The same sink, when it decodes the body.
        var decoding: DecodingSink?

        /// Lets the body be decoded, into a file of this length, if that is known.
        mutating func decode(by decoder: (any ContentDecoder)?, limit: Int64?) {
            guard let decoder else { return }
            let decoding = DecodingSink(decoder, at: offset, limit: limit, before: sink)
            self.decoding = decoding
            sink = decoding
        }
    }

    let plans: AsyncStream<ReceivePlan>
    let stops: AsyncStream<Void>
    private let planning: AsyncStream<ReceivePlan>.Continuation
    private let stopping: AsyncStream<Void>.Continuation
    private let latestBound = Mutex<MovableBound?>(nil)

    init() {
        (plans, planning) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        (stops, stopping) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// A bound for the body that is about to be taken.
    func bound(at offset: Int64) -> MovableBound {
        let bound = MovableBound(at: offset)
        latestBound.withLock { $0 = bound }
        return bound
    }

    /// Lets the connection take its body.
    func receive(_ plan: ReceivePlan) {
        planning.yield(plan)
    }

    /// Lets the body end at an offset, unless it has come further.
    func shorten(to offset: Int64) -> Bool {
        latestBound.withLock { $0 }?.shorten(to: offset) ?? false
    }

    /// Cuts the connection.
    func disconnect() {
        stopping.yield()
    }
}
