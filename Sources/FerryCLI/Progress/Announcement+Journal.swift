import Ferry
import FerryFrontend

extension Announcement {
    /// The messages for the journal of a service: starts, ends and problems. Each names the transfer's ID, because
    /// several run at once.
    func journalMessages(at now: Instant) -> [Message] {
        if case .progress = news { return [] }
        if case .state = news, transfer.state == .active {
            // The wait before it announces a further attempt.
            guard transfer.attempts <= 1 else { return [] }
            let text =
                progress.received > 0 && transfer.work.isInterruptible
                ? PlainProgress.continuing(transfer) : transfer.wording.beginning + "."
            return [.notice("Transfer \(transfer.id): \(text)")]
        }
        return messages(live: false, at: now).map { message in
            switch message {
            case .notice(let line): return .notice("Transfer \(transfer.id): \(line)")
            case .failure(var failure):
                failure.message = "Transfer \(transfer.id): \(failure.message)"
                return .failure(failure)
            }
        }
    }
}
