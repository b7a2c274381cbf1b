/// How a file differs from what was asked for.
package enum FileFlaw: Hashable, Sendable {
    /// It has another length, in bytes.
    case length(Int64, expected: Int64)
    /// It has another digest.
    case digest(Checksum, expected: Checksum)
    /// This number of its pieces have other digests.
    case pieces(wrong: Int, of: Int)

    /// The flaw that the length alone shows, in bytes; `nil` when it shows none.
    package init?(length: Int64, asked options: DownloadOptions) {
        if let expected = options.length, expected != length {
            self = .length(length, expected: expected)
        } else if let pieces = options.pieces, options.checksum == nil, !pieces.fit(size: length) {
            self = .pieces(wrong: pieces.checksums.count, of: pieces.checksums.count)
        } else {
            return nil
        }
    }

    /// What is wrong with the file at a path, in one sentence for a person.
    package func sentence(about path: String) -> String {
        switch self {
        case .length(let length, let expected):
            "\(path) has \(ByteCount(length).formatted(beside: expected)), not "
                + "\(ByteCount(expected).formatted(beside: length))."
        case .digest(let found, let expected):
            "\(path) has the \(expected.algorithm.rawValue) digest \(found.hex), not \(expected.hex)."
        case .pieces(let wrong, let count): "\(wrong) of \(count) pieces of \(path) have the wrong digest."
        }
    }
}
