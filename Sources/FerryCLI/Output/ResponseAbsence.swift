import Ferry
import FerryFrontend

/// Why the body of a response cannot be printed: it is in a file, or there is none.
enum ResponseAbsence {
    /// The message about a request whose response is not stored, and what to type next.
    static func text(of transfer: Transfer, _ work: RequestWork) -> (message: String, hint: String?) {
        let id = transfer.id
        if let path = work.responsePath.map({ TerminalText.safe($0) }) {
            let size = ByteCount(transfer.response?.length ?? 0).formatted
            return transfer.state == .completed
                ? (
                    "The response to transfer \(id) was saved in \(path) (\(size)).",
                    "The store keeps no copy of it."
                )
                : (
                    "The response to transfer \(id) is in \(path) (\(size)). It does not have its final name yet.",
                    "`ferry show \(id)` shows what to do."
                )
        }
        let reason = "`ferry show \(id)` shows the reason."
        return switch transfer.state.name {
        // Only a person's word completes a request without a response.
        case .completed:
            ("Transfer \(id) has no response: it was resolved as sent, and its answer never came.", nil)
        case .failed: ("Transfer \(id) has no response: it failed before one came.", reason)
        case .cancelled: ("Transfer \(id) has no response: it was cancelled before one came.", nil)
        case .queued, .active, .waiting, .paused:
            (
                "Transfer \(id) has no response yet; it is \(transfer.state.name).",
                "`ferry show \(id)` shows what it waits for."
            )
        }
    }
}
