public import FerryCore

/// The result of checking a finished file against a digest.
public struct Verification: Hashable, Sendable {
    /// The transfer that fetched it.
    public let transfer: TransferID
    /// The file's path.
    public let path: String
    /// The expected digest.
    public let expected: Checksum
    /// The digest of the file.
    public let found: Checksum

    /// Whether the digests match.
    public var isRight: Bool { expected == found }

    /// The failure when the digests do not match.
    public var failure: TransferFailure? {
        guard !isRight else { return nil }
        return TransferFailure(
            .checksumMismatch,
            "\(path) has the \(expected.algorithm.rawValue) digest \(found.hex), not \(expected.hex).",
            hint: "Remove it and repeat the `ferry get` line to fetch it again."
        )
    }
}
