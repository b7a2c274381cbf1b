import FerryCore
import Synchronization

/// The orders to one connection: receive the body, end it earlier, and stop. In the other direction, it passes on a short body
/// that has arrived.
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

    /// The body of an answer that had arrived as a whole when its head was reported.
    private enum WholeBody {
        /// No body has been handed over. Exits: `handedOver`, `refused`.
        case awaited
        /// It can be taken. Exits: `taken`.
        case handedOver([UInt8])
        /// It was taken or dropped. Final.
        case taken
        /// The connection was cut first. Final.
        case refused
    }

    /// The order to receive the body.
    let plans = Feed<ReceivePlan>()
    private let watched: WatchedExchange
    private let latestBound = Mutex<MovableBound?>(nil)
    private let body = Mutex(WholeBody.awaited)

    init(_ watched: WatchedExchange) {
        self.watched = watched
    }

    /// Creates the bound of the body that is about to be received.
    func bound(at offset: Int64) -> MovableBound {
        let bound = MovableBound(at: offset)
        latestBound.withLock { $0 = bound }
        return bound
    }

    /// Tells the connection to receive its body.
    func receive(_ plan: ReceivePlan) {
        plans.yield(plan)
    }

    /// Ends the body at an offset; returns `false` if the body has come further.
    func shorten(to offset: Int64) -> Bool {
        latestBound.withLock { $0 }?.shorten(to: offset) ?? false
    }

    /// Hands over a body that is whole, unless the connection was cut. From then on, the connection does not report its end.
    func handOver(_ bytes: [UInt8]) {
        body.withLock { body in
            if case .awaited = body { body = .handedOver(bytes) }
        }
    }

    /// Whether a body was handed over.
    var hasHandedOver: Bool {
        body.withLock { body in
            switch body {
            case .handedOver, .taken: true
            case .awaited, .refused: false
            }
        }
    }

    /// The body that was handed over, until it is taken.
    var bodyAtHand: [UInt8]? {
        body.withLock { body in
            if case .handedOver(let bytes) = body { bytes } else { nil }
        }
    }

    /// Takes the body that was handed over; `nil` if none was, or if it was taken before.
    func takeBody() -> [UInt8]? {
        body.withLock { body in
            guard case .handedOver(let bytes) = body else { return nil }
            body = .taken
            return bytes
        }
    }

    /// Cuts the connection.
    ///
    /// - Returns: whether a body that was handed over is dropped. The connection does not report its end then.
    func disconnect() -> Bool {
        let isDropped = body.withLock { body -> Bool in
            switch body {
            case .handedOver:
                body = .taken
                return true
            case .awaited:
                body = .refused
                return false
            case .taken, .refused:
                return false
            }
        }
        watched.cut(.ordered)
        return isDropped
    }
}
