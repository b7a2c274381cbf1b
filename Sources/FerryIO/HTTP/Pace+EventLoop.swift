internal import FerryCore
internal import NIOCore

extension Pace {
    /// Counts bytes that have moved and returns when the next may; `nil` when they may at once.
    ///
    /// Must be called on `loop`.
    ///
    /// - Parameter isWanted: whether the bytes are still wanted; checked repeatedly.
    func hold(
        _ bytes: Int,
        on loop: any EventLoop,
        while isWanted: @escaping @Sendable () -> Bool
    ) -> EventLoopFuture<Void>? {
        guard !isOff else { return nil }
        let toll = take(bytes, at: loop.elapsed)
        guard wait(for: toll, at: loop.elapsed) > .zero else { return nil }
        let promise = loop.makePromise(of: Void.self)
        watch(toll, promise, while: isWanted)
        return promise.futureResult
    }

    /// Waits before a request, until the bytes that moved before it are within the limits. Those of a server that closes
    /// its connection come all at once, and then no connection is left to hold back.
    func awaitTurn() async throws {
        try await settle(now: { NIODeadline.now().elapsed }, sleep: { try await Task.sleep(for: $0) })
    }

    /// Counts bytes that have moved and hold nothing back.
    func count(_ bytes: Int, on loop: any EventLoop) {
        if !isOff { _ = take(bytes, at: loop.elapsed) }
    }

    private func watch(
        _ toll: Toll,
        _ promise: EventLoopPromise<Void>,
        while isWanted: @escaping @Sendable () -> Bool
    ) {
        let loop = promise.futureResult.eventLoop
        let rest = wait(for: toll, at: loop.elapsed)
        guard rest > .zero, isWanted() else { return promise.succeed() }
        let timer = loop.scheduleTask(in: .nanoseconds(min(rest, Self.longestWait).wholeNanoseconds)) {
            watch(toll, promise, while: isWanted)
        }
        // An event loop that shuts down runs no more timers.
        timer.futureResult.whenFailure { promise.fail($0) }
    }
}

extension EventLoop {
    /// The time of the loop's clock.
    fileprivate var elapsed: Duration { now.elapsed }
}

extension NIODeadline {
    /// The time from which deadlines count.
    fileprivate var elapsed: Duration { .nanoseconds(Int64(clamping: uptimeNanoseconds)) }
}

extension Duration {
    /// This duration in nanoseconds; it must be short.
    fileprivate var wholeNanoseconds: Int64 { Int64(self / .nanoseconds(1)) }
}
