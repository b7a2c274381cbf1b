import Synchronization

/// The single source of random numbers of an engine, shared by all of its tasks.
package final class RandomSource: RandomNumberGenerator, Sendable {
    private let base: Mutex<any RandomNumberGenerator & Sendable>

    /// Draws from a generator.
    package init(_ base: any RandomNumberGenerator & Sendable) {
        self.base = Mutex(base)
    }

    /// The next 64 bits.
    package func next() -> UInt64 {
        base.withLock { $0.next() }
    }
}
