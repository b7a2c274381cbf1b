extension Checksum {
    /// Creates a checksum from the lowest bits of `value`, the result of a cyclic redundancy check.
    ///
    /// - Precondition: The algorithm is a cyclic redundancy check.
    package init(redundancyCheck value: UInt64, by algorithm: Algorithm) {
        precondition(algorithm.redundancyCheck != nil, "\(algorithm) is a hash function")
        let bytes = (0..<algorithm.length).reversed().map {
            UInt8(truncatingIfNeeded: value >> UInt64(8 * $0))
        }
        self.init(algorithm: algorithm, digest: bytes)
    }

    /// Returns the checksum of these bytes followed by those of `next`, without reading either again.
    ///
    /// - Parameter length: the length in bytes of what `next` covers.
    /// - Returns: `nil` unless both use the same cyclic redundancy check. Hash functions cannot be combined.
    package func appending(_ next: Checksum, length: Int64) -> Checksum? {
        guard algorithm == next.algorithm, length >= 0, let check = algorithm.redundancyCheck,
            let first = UInt64(hex, radix: 16), let second = UInt64(next.hex, radix: 16)
        else { return nil }
        return Checksum(redundancyCheck: check.combined(first, second, length: length), by: algorithm)
    }
}
