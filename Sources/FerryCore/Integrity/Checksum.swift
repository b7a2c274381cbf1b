/// A digest that the finished file must have.
public struct Checksum: Hashable, Sendable, Codable {
    /// The algorithm.
    public var algorithm: Algorithm
    /// The digest, in lowercase hexadecimal; a cyclic redundancy check with its highest bits first.
    public var hex: String

    /// Creates a checksum from a computed digest.
    public init(algorithm: Algorithm, digest: some Sequence<UInt8>) {
        self.algorithm = algorithm
        hex = Array(digest).hexadecimalText
    }

    /// The digest in base64 (RFC 4648 §4), as header fields have it.
    package var base64: String {
        let digits = hex.utf8.compactMap(\.hexadecimalValue)
        return Base64.encoded(
            stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        )
    }

    /// Creates a checksum from digits that were already checked.
    init(algorithm: Algorithm, hex: some Collection<UInt8>) {
        self.algorithm = algorithm
        self.hex = hex.lowercasedASCIIText
    }
}
