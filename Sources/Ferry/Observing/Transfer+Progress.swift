public import FerryCore

extension Transfer {
    /// The progress of the transfer as last recorded.
    public var recordedProgress: TransferProgress {
        TransferProgress(received: losesReceived ? 0 : work.received, total: work.total)
    }

    /// Whether what was received is about to be removed, here or at a server.
    private var losesReceived: Bool {
        switch residue {
        case .partFile?, .upload?: true
        case .bodyCopy?, nil: false
        }
    }
}
