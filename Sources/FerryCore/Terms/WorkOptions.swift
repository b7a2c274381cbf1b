/// The options of one kind of transfer.
public enum WorkOptions: Hashable, Sendable {
    /// The options of a download.
    case download(DownloadOptions)

    /// The kind that has them.
    package var kind: TransferKind {
        switch self {
        case .download: .download
        }
    }
}
