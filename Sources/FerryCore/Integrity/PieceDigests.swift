/// The digests of a file's pieces. The pieces are adjacent and have the same length, except for the last one (RFC
/// 5854 §4.2.11).
public struct PieceDigests: Hashable, Sendable {
    /// The length of each piece in bytes, above 0.
    public let length: Int64
    /// The digest of each piece, all by one algorithm; never empty.
    public let checksums: [Checksum]

    /// Creates the digests of pieces.
    ///
    /// - Returns: `nil` when there are no digests, when they have several algorithms, or when `length` is not
    ///   positive.
    public init?(length: Int64, checksums: [Checksum]) {
        guard length > 0, let first = checksums.first,
            checksums.allSatisfy({ $0.algorithm == first.algorithm })
        else { return nil }
        self.length = length
        self.checksums = checksums
    }

    /// The algorithm of all digests.
    public var algorithm: Checksum.Algorithm { checksums[0].algorithm }

    /// Whether a file of `size` bytes has this number of pieces.
    public func fit(size: Int64) -> Bool {
        let (whole, rest) = size.quotientAndRemainder(dividingBy: length)
        return Int64(checksums.count) == whole + (rest > 0 ? 1 : 0)
    }

    /// The bytes of a piece of a file of `size` bytes.
    public func range(of piece: Int, inFileOf size: Int64) -> Range<Int64> {
        let begin = min(Int64(piece) * length, size)
        return begin..<min(begin + min(length, size - begin), size)
    }
}

extension PieceDigests: Codable {
    private enum CodingKeys: String, CodingKey {
        case length, algorithm, digests
    }

    /// Reads pieces. Throws `DecodingError.dataCorrupted` when they are inconsistent.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let algorithm = try fields.decode(Checksum.Algorithm.self, forKey: .algorithm)
        let digits = Array(try fields.decode(String.self, forKey: .digests).utf8)
        let width = 2 * algorithm.length
        let checksums = stride(from: 0, to: digits.count, by: width).compactMap { begin in
            Checksum(algorithm, hexadecimal: digits[begin..<min(begin + width, digits.count)])
        }
        guard checksums.count * width == digits.count,
            let pieces = PieceDigests(
                length: try fields.decode(Int64.self, forKey: .length),
                checksums: checksums
            )
        else {
            throw fields.damaged(.digests, "the digests of pieces make no sense")
        }
        self = pieces
    }

    /// Writes pieces, with their digests concatenated.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(length, forKey: .length)
        try fields.encode(algorithm, forKey: .algorithm)
        try fields.encode(checksums.map(\.hex).joined(), forKey: .digests)
    }
}
