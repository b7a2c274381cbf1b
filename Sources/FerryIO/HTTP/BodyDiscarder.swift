internal import NIOCore
internal import Synchronization

/// Reads the small rest of an unwanted body, so that its connection can be reused.
final class BodyDiscarder: BodyConsumer {
    /// Maximum bytes worth reading instead of opening another connection.
    static let limit = 64 * 1024
    /// Maximum time for that.
    static let patience = TimeAmount.milliseconds(200)

    /// Resolves when the body is over, with or without an error.
    let done = Outcome<Void>()
    private let discarded = Mutex(0)

    /// Whether reading the rest is probably cheaper than opening another connection.
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
