public import FerryCore

/// What came of holding a finished file against a digest.
public struct Verification: Hashable, Sendable {
    /// The transfer that fetched it.
    public let transfer: TransferID
    /// The file's path.
    public let path: String
    /// The digest that it should have.
    public let expected: Checksum
    /// The digest that it has.
    public let found: Checksum

    /// Whether they are the same.
    public var isRight: Bool { expected == found }

    /// The failure that it is when they are not.
    public var failure: TransferFailure? {
        guard !isRight else { return nil }
        return TransferFailure(
            .checksumMismatch,
            "\(path) has the \(expected.algorithm.rawValue) digest \(found.hex), not \(expected.hex).",
            hint: "Remove it, and the same `ferry get` fetches it anew."
        )
    }
}
