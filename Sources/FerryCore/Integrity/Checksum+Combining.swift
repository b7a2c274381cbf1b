extension Checksum {
    /// Creates a checksum from the value of a cyclic redundancy check, which takes the lowest bits of `value`.
    ///
    /// - Precondition: The algorithm is such a check.
    public init(redundancyCheck value: UInt64, by algorithm: Algorithm) {
        precondition(algorithm.redundancyCheck != nil, "\(algorithm) is a hash function")
        let bytes = (0..<algorithm.length).reversed().map {
            UInt8(truncatingIfNeeded: value >> UInt64(8 * $0))
        }
        self.init(algorithm: algorithm, digest: bytes)
    }

    /// The checksum of what it is of with `next` behind, without reading either again.
    ///
    /// - Parameter length: the length of what `next` is of, in bytes.
    /// - Returns: `nil` unless both are by the same cyclic redundancy check, for hash functions cannot do it.
    public func appending(_ next: Checksum, length: Int64) -> Checksum? {
        guard algorithm == next.algorithm, length >= 0, let check = algorithm.redundancyCheck,
            let first = UInt64(hex, radix: 16), let second = UInt64(next.hex, radix: 16)
        else { return nil }
        return Checksum(redundancyCheck: check.combined(first, second, length: length), by: algorithm)
    }
}
