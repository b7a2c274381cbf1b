internal import NIOCore
internal import Synchronization

/// Reads the small rest of a body that nobody asked for, so that its connection can be used again.
final class BodyDiscarder: BodyConsumer {
    /// How many bytes are worth reading rather than opening another connection.
    static let limit = 64 * 1024
    /// How long that may take.
    static let patience = TimeAmount.milliseconds(200)

    /// That the body is over, one way or the other.
    let done = Outcome<Void>()
    private let discarded = Mutex(0)

    /// Whether reading the rest is likely to be cheaper than opening another connection.
    static func accepts(_ framing: ResponseFraming) -> Bool {
        switch framing {
        case .none, .chunked: true
        case .length(let length): length <= limit
        case .untilClose: false
        }
    }

    func accept(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand {
        let count = discarded.withLock { count in
            count += part.readableBytes
            return count
        }
        return count <= Self.limit ? .more : .never(BodyNotWanted())
    }

    func end() {
        done.resolve(.success(()))
    }

    func fail(_ error: any Error) {
        done.resolve(.success(()))
    }
}
