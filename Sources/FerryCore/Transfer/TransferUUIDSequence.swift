/// Makes the UUIDs of transfers that are added together. Each is the previous one plus a random step (RFC 9562 §6.2,
/// method 2). So they are neighbours in an index, and each needs half a random number instead of two.
package struct TransferUUIDSequence<Generator: RandomNumberGenerator> {
    private let now: Instant
    private var generator: Generator
    private var last: TransferUUID?
    private var step: UInt64 = 0

    /// Creates a sequence of UUIDs of one moment.
    package init(at now: Instant, using generator: Generator) {
        self.now = now
        self.generator = generator
    }

    /// The next UUID.
    package mutating func next() -> TransferUUID {
        step = step >> 32 == 0 ? generator.next() : step >> 32
        let next =
            last?.counting(up: 1 + step & 0xFFFF_FFFF) ?? TransferUUID(at: now, using: &generator)
        last = next
        return next
    }
}
