import Synchronization

/// Asks one loop of the engine to look again. Requests that come together count as one.
final class LookSignal: Sendable {
    private let looking = Mutex<AsyncStream<Void>.Continuation?>(nil)

    /// Yields an element whenever a look is requested, beginning with one. It serves one run of the engine, because a
    /// stream whose reader was cancelled yields nothing to the next reader.
    func begin() -> AsyncStream<Void> {
        let (looks, looking) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.looking.withLock { $0 = looking }
        looking.yield()
        return looks
    }

    /// Requests a look.
    func look() { looking.withLock { $0 }?.yield() }
}
