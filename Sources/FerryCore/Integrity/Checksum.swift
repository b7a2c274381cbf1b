/// A digest that the finished file must have.
public struct Checksum: Hashable, Sendable, Codable {
    /// The algorithm.
    public var algorithm: Algorithm
    /// The digest, in lowercase hexadecimal; a cyclic redundancy check with its highest bits first.
    public var hex: String

    /// Creates a checksum from a computed digest.
    public init(algorithm: Algorithm, digest: some Sequence<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        self.algorithm = algorithm
        hex = String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// Creates a checksum from digits that were already checked.
    init(algorithm: Algorithm, hex: some Collection<UInt8>) {
        self.algorithm = algorithm
        self.hex = hex.lowercasedASCIIText
    }
}
