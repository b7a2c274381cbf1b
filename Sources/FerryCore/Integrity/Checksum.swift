/// A digest that the finished file must have.
public struct Checksum: Hashable, Sendable, Codable {
    /// The algorithm.
    public var algorithm: Algorithm
    /// The digest, in lower-case hexadecimal.
    public var hex: String

    /// A digest algorithm, by its name in the IANA registry of RFC 9530.
    public enum Algorithm: String, Hashable, Sendable, Codable, CaseIterable {
        /// SHA-256 (FIPS 180-4).
        case sha256 = "sha-256"
        /// SHA-512 (FIPS 180-4).
        case sha512 = "sha-512"

        /// The length of a digest in bytes.
        public var length: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// Reads `ALGORITHM=HEX`, such as `sha256=9f86…`; the hyphen in the name may be left out.
    ///
    /// - Returns: `nil` when the algorithm is unknown or the digest is not hexadecimal of the right length.
    public init?(parsing text: String) {
        guard let separator = text.firstIndex(of: "=") else { return nil }
        let name = text[..<separator].lowercased()
        let hex = text[text.index(after: separator)...].lowercased()
        let match = Algorithm.allCases.first {
            $0.rawValue == name || $0.rawValue.filter { $0 != "-" } == name
        }
        guard let match, hex.utf8.count == match.length * 2,
            hex.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        algorithm = match
        self.hex = hex
    }

    /// Creates a checksum from a digest that was computed.
    public init(algorithm: Algorithm, digest: some Sequence<UInt8>) {
        let digits = Array("0123456789abcdef".utf8)
        self.algorithm = algorithm
        hex = String(
            decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
