public import FerryCore

/// A finished download: whole, verified and under its final name.
public struct CompletedDownload: Hashable, Sendable {
    /// The ID of its transfer.
    public var id: TransferID
    /// The path of the file; `nil` for a stream.
    public var path: String?
    /// Its length in bytes.
    public var length: Int64
    /// The evidence that all bytes are of one version (I5).
    public var assurance: Checkpoint.Assurance
}
