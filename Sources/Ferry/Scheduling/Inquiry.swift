import FerryCore
import Logging

/// What the application may be asked about a transfer, so that no person must answer.
protocol Inquiry: Sendable {
    /// What the application answers.
    associatedtype Answer: Sendable

    /// The transfers among which those are that wait for an answer.
    var filter: TransferFilter { get }
    /// Interval at which an engine that runs without end looks for transfers that others left without an answer.
    var interval: Duration { get }
    /// The message for the log when there is no answer.
    var silence: Logger.Message { get }

    /// Whether a transfer waits for an answer.
    func concerns(_ transfer: Transfer) -> Bool

    /// Asks the application.
    func ask(about transfer: Transfer) async throws -> Answer

    /// Uses an answer. What a person did meanwhile takes precedence.
    func use(
        _ answer: Answer,
        for transfer: Transfer,
        in store: any TransferStore,
        at now: Instant
    ) async throws(StoreError) -> InquiryResult

    /// What observers hear when there was no answer, or a useless one.
    func note(_ result: InquiryResult, isAskedAgain: Bool) -> TransferNote?
}

/// What has become of an inquiry.
enum InquiryResult: Hashable, Sendable {
    /// The transfer resumes.
    case used
    /// The transfer was changed meanwhile.
    case overtaken
    /// A person must answer.
    case left
    /// The answer was of no use.
    case useless
    /// There was no answer.
    case silent
}
