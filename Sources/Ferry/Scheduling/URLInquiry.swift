import FerryCore
import Logging

/// Asks for a fresh URL in place of one that has expired.
struct URLInquiry: Inquiry {
    /// The function of the application.
    let refresh: @Sendable (TransferID, HTTPURL) async throws -> HTTPURL

    var filter: TransferFilter { .waiting(.newURL) }
    var interval: Duration { .seconds(60) }
    var silence: Logger.Message { "No fresh URL was given." }

    func concerns(_ transfer: Transfer) -> Bool { transfer.state == .waiting(.newURL) }

    func ask(about transfer: Transfer) async throws -> HTTPURL {
        try await refresh(transfer.id, transfer.work.url)
    }

    /// Writes a fresh URL. A pause in the meantime stays. A URL that a person gave meanwhile, or an end, takes
    /// precedence.
    func use(
        _ fresh: HTTPURL,
        for transfer: Transfer,
        in store: any TransferStore,
        at now: Instant
    ) async throws(StoreError) -> InquiryResult {
        let (id, expired) = (transfer.id, transfer.work.url)
        guard fresh != expired else { return .useless }
        guard try await store.transfers([id])[0]?.work.url == expired else { return .overtaken }
        var edit = TransferEdit()
        edit.url = fresh
        do throws(StoreError) {
            _ = try await store.edit(id, edit, at: now)
            return .used
        } catch .notPossible, .noSuchTransfer {
            return .overtaken
        }
    }

    /// What the transfer waits for also says what a person can do.
    func note(_ result: InquiryResult, isAskedAgain: Bool) -> TransferNote? {
        let news =
            result == .silent ? "No fresh URL was given" : "Refreshing returned the same expired URL"
        return TransferNote(.noFreshURL, isAskedAgain ? "\(news); asking again." : "\(news).")
    }
}
