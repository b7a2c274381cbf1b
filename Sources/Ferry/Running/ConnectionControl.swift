import FerryCore
import Synchronization

/// The orders to one connection: receive the body, end it earlier, and stop.
final class ConnectionControl: Sendable {
    /// How to receive a body.
    struct ReceivePlan: Sendable {
        /// The offset of the body's first byte.
        var offset: Int64
        /// Maximum bytes to receive.
        var limit: Int64?
        /// Where the body ends if it is shortened.
        var bound: MovableBound
        /// Where the bytes go.
        var sink: any ByteSink
        /// The same sink, if it decodes the body.
        var decoding: DecodingSink?

        /// Decodes the body, into a file of length `limit` if that is known.
        mutating func decode(by decoder: (any ContentDecoder)?, limit: Int64?) {
            guard let decoder else { return }
            let decoding = DecodingSink(decoder, at: offset, limit: limit, before: sink)
            self.decoding = decoding
            sink = decoding
        }
    }

    let plans: AsyncStream<ReceivePlan>
    private let planning: AsyncStream<ReceivePlan>.Continuation
    private let passage: Passage
    private let latestBound = Mutex<MovableBound?>(nil)

    init(_ passage: Passage) {
        self.passage = passage
        (plans, planning) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Creates the bound of the body that is about to be received.
    func bound(at offset: Int64) -> MovableBound {
        let bound = MovableBound(at: offset)
        latestBound.withLock { $0 = bound }
        return bound
    }

    /// Tells the connection to receive its body.
    func receive(_ plan: ReceivePlan) {
        planning.yield(plan)
    }

    /// Ends the body at an offset; returns `false` if the body has come further.
    func shorten(to offset: Int64) -> Bool {
        latestBound.withLock { $0 }?.shorten(to: offset) ?? false
    }

    /// Cuts the connection.
    func disconnect() {
        passage.cut(.ordered)
    }
}
