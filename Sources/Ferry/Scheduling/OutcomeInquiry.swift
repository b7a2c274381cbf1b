import FerryCore
import Logging

/// Asks whether a request has arrived that was sent and not answered, and must not be repeated.
struct OutcomeInquiry: Inquiry {
    /// The function of the application.
    let resolve: @Sendable (TransferID, HTTPURL) async throws -> RequestOutcome?
    let seams: ClientSeams
    let logger: Logger

    var filter: TransferFilter { .state(.failed) }
    // There may be very many failed transfers.
    var interval: Duration { .seconds(600) }
    var silence: Logger.Message { "It was not said whether a request has arrived." }

    func concerns(_ transfer: Transfer) -> Bool {
        if case .failed(let failure) = transfer.state { failure.code == .outcomeUnknown } else { false }
    }

    func ask(about transfer: Transfer) async throws -> RequestOutcome? {
        try await resolve(transfer.id, transfer.work.url)
    }

    func use(
        _ outcome: RequestOutcome?,
        for transfer: Transfer,
        in store: any TransferStore,
        at now: Instant
    ) async throws(StoreError) -> InquiryResult {
        guard let outcome else { return .left }
        do throws(StoreError) {
            let resolved = try await store.resolve(transfer.id, as: outcome, at: now)
            await seams.removeLeftover(of: resolved, logger: logger)
            return .used
        } catch .notPossible, .noSuchTransfer {
            return .overtaken
        }
    }

    func note(_ result: InquiryResult, isAskedAgain: Bool) -> TransferNote? { nil }
}
