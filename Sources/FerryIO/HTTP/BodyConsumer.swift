internal import NIOCore

/// Takes the bytes of one body, in order, on an event loop.
protocol BodyConsumer: Sendable {
    /// Whether its connection is held back to the pace of the request.
    var keepsPace: Bool { get }

    /// Takes a part. Must not block.
    func accept(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand

    /// The body has ended properly.
    func end()

    /// The connection broke: no more will come, but what was accepted still counts.
    func breakOff(_ error: any Error)

    /// Nobody wants the body any more, not even what was accepted. After the first failure this changes nothing.
    func fail(_ error: any Error)
}

extension BodyConsumer {
    /// A small body is had sooner than its wait is over.
    var keepsPace: Bool { false }

    /// Of a body that is kept in memory, half is worth nothing.
    func breakOff(_ error: any Error) {
        fail(error)
    }
}

/// What a consumer of a body wants next.
enum BodyDemand: Sendable {
    /// The next part.
    case more
    /// Nothing before this future has come: the connection is not read until then.
    case later(EventLoopFuture<Void>)
    /// Nothing more; what was accepted is all that is wanted, and the connection is closed.
    case enough
    /// Nothing at all; the exchange fails with this error.
    case never(any Error)

    /// The same, but not before `pause` has come.
    func delayed(by pause: EventLoopFuture<Void>?) -> BodyDemand {
        guard let pause else { return self }
        switch self {
        case .more: return .later(pause)
        case .later(let future): return .later(future.and(pause).map { _ in })
        case .enough, .never: return self
        }
    }
}
