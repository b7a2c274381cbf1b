internal import NIOCore

/// Takes the bytes of one body, in order, on an event loop.
protocol BodyConsumer: Sendable {
    /// Takes a part. Must not block, except as ``LoopWriting`` allows.
    func accept(_ part: ByteBuffer, on loop: any EventLoop) -> BodyDemand

    /// The body has ended properly.
    func end()

    /// The connection broke: no more will arrive, but accepted bytes still count.
    func breakOff(_ error: any Error)

    /// The body is no longer wanted, not even the accepted bytes. Has no effect after the first failure.
    func fail(_ error: any Error)
}

extension BodyConsumer {
    /// Half of a body in memory is worthless.
    func breakOff(_ error: any Error) {
        fail(error)
    }
}

/// What a consumer of a body wants next.
enum BodyDemand: Sendable {
    /// The next part.
    case more
    /// Nothing until this future completes: the connection is not read before.
    case later(EventLoopFuture<Void>)
    /// Nothing more: the accepted bytes are enough, and the connection is not used again.
    case enough
    /// Nothing at all; the exchange fails with this error.
    case never(any Error)

    /// The same demand, but not before `pause` completes.
    func delayed(by pause: EventLoopFuture<Void>?) -> BodyDemand {
        guard let pause else { return self }
        switch self {
        case .more: return .later(pause)
        case .later(let future): return .later(future.and(pause).map { _ in })
        case .enough, .never: return self
        }
    }
}
