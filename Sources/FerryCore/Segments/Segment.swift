/// A half-open byte range of one download, and how much of it was received.
package struct Segment: Hashable, Sendable {
    /// The bytes that this segment covers. The upper bound is `Int64.max` while the length is unknown.
    package var range: Range<Int64>
    /// Every byte before this offset was handed to the kernel: safe against the death of the process.
    package var written: Int64
    /// Every byte before this offset was confirmed by `fdatasync`: safe against power loss.
    package var durable: Int64

    /// Creates a segment; the watermarks must satisfy `range.lowerBound ≤ durable ≤ written ≤ range.upperBound`.
    package init(range: Range<Int64>, written: Int64, durable: Int64) {
        precondition(
            range.lowerBound >= 0 && range.lowerBound <= durable && durable <= written
                && written <= range.upperBound,
            "I2: the watermarks of a segment are out of order"
        )
        self.range = range
        self.written = written
        self.durable = durable
    }

    /// Creates a segment without received bytes.
    package init(_ range: Range<Int64>) {
        self.init(range: range, written: range.lowerBound, durable: range.lowerBound)
    }

    /// Whether every byte has been handed to the kernel.
    package var isComplete: Bool { written == range.upperBound }

    /// Whether every byte would survive power loss.
    package var isDurable: Bool { durable == range.upperBound }

    /// The bytes still to be received.
    package var rest: Range<Int64> { written..<range.upperBound }
}
