public import FerryCore

/// A download that is finished: whole, verified and under its final name.
public struct CompletedDownload: Hashable, Sendable {
    /// The transfer that made it.
    public var id: TransferID
    /// The path of the file; `nil` for a stream.
    public var path: String?
    /// Its length in bytes.
    public var length: Int64
    /// What the claim that it is of one version rests on (I5).
    public var assurance: Checkpoint.Assurance
}
