extension Checksum {
    /// Parses `ALGORITHM=HEX`, such as `sha256=9f86…`; a colon may replace the equals sign, as in `sha256:9f86…`.
    ///
    /// The names are those of ``Algorithm/init(named:)``. A ``Algorithm/crc64ecma`` may also be a decimal number of
    /// 17 to 20 digits, as Alibaba OSS prints it; 16 digits are hexadecimal.
    ///
    /// - Throws: ``ParseError``, whose description names what would be accepted.
    public init(parsing text: String) throws(ParseError) {
        let bytes = Array(text.utf8)
        guard let separator = bytes.firstIndex(where: { $0 == 0x3D || $0 == 0x3A }) else {
            throw .noAlgorithm
        }
        guard let algorithm = Algorithm(named: bytes[..<separator].trimmingBlanks.text) else {
            throw .unknownAlgorithm
        }
        let digits = bytes[(separator + 1)...].trimmingBlanks
        if let checksum = Checksum(algorithm, hexadecimal: digits) {
            self = checksum
        } else if algorithm == .crc64ecma, (17...20).contains(digits.count),
            let checksum = Checksum(crc64ecmaDecimal: digits)
        {
            self = checksum
        } else {
            throw .wrongDigest(algorithm)
        }
    }

    /// The checksum as `ALGORITHM=HEX`, as it is shown and parsed.
    package var text: String { "\(algorithm.rawValue)=\(hex)" }

    /// Why a text is not a checksum.
    public enum ParseError: Error, Hashable, Sendable {
        /// No algorithm is named.
        case noAlgorithm
        /// The algorithm is unknown.
        case unknownAlgorithm
        /// The digest has the wrong number of digits for its algorithm.
        case wrongDigest(Algorithm)
    }

    /// Creates a checksum from hexadecimal digits of either case; `nil` unless their number fits the algorithm.
    package init?(_ algorithm: Algorithm, hexadecimal digits: some Collection<UInt8>) {
        guard digits.count == algorithm.length * 2, digits.allSatisfy({ $0.hexadecimalValue != nil }) else {
            return nil
        }
        self.init(algorithm: algorithm, hex: digits)
    }

    /// Creates a checksum from a decimal number as in `x-oss-hash-crc64ecma`; `nil` when it is not one, or has more
    /// than 64 bits.
    package init?(crc64ecmaDecimal digits: some Collection<UInt8>) {
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit), let value = UInt64(digits.text) else {
            return nil
        }
        self.init(redundancyCheck: value, by: .crc64ecma)
    }
}

extension Checksum.ParseError: CustomStringConvertible {
    /// What is wrong, and what would be accepted, in a sentence or two for a person.
    public var description: String {
        switch self {
        case .noAlgorithm: "A checksum must look like sha256=HEX. \(Self.known)"
        case .unknownAlgorithm: "The algorithm of the checksum is unknown. \(Self.known)"
        case .wrongDigest(.crc64ecma):
            "A crc64ecma digest is 16 hexadecimal digits, or a decimal number of 17 to 20 digits."
        case .wrongDigest(let algorithm):
            "A \(algorithm.shortName) digest is \(algorithm.length * 2) hexadecimal digits."
        }
    }

    private static var known: String {
        let names = Checksum.Algorithm.allCases.map(\.shortName)
        return "The algorithms are \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")."
    }
}
