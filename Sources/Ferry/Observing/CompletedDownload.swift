public import FerryCore

/// A download that is finished: whole, verified and under its final name.
public struct CompletedDownload: Hashable, Sendable {
    /// The transfer that made it.
    public let id: TransferID
    /// The path of the file; `nil` for a stream.
    public let path: String?
    /// Its length in bytes.
    public let length: Int64
    /// The server's entity tag of this version, as it was sent (RFC 9110 §8.8.3); `nil` if it gave none.
    public let entityTag: String?
    /// The server's `Last-Modified` of this version (RFC 9110 §8.8.2); `nil` if it gave none that can be read.
    public let lastModified: Instant?
    /// The evidence that all bytes are of one version (I5).
    public let assurance: Assurance

    init(_ download: DownloadWork, of transfer: Transfer) {
        let progress = download.progress
        id = transfer.id
        path = transfer.finalPath
        length = progress.segments.received
        entityTag = progress.validator.entityTag.map { "\($0)" }
        lastModified = progress.validator.lastModifiedInstant
        assurance = progress.assurance
    }
}
