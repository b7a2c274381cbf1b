/// What the scheduler and the stores ask of every kind of work. If most kinds give the same answer, that answer is the
/// default.
///
/// Only the machine and the runner of a kind know the rest of it.
package protocol TransferWork: Hashable, Sendable {
    /// What is asked for.
    associatedtype Specification: Hashable, Sendable
    /// What an attempt records and leaves behind.
    associatedtype Progress: TransferWorkProgress

    /// Its kind.
    var kind: TransferKind { get }
    /// What is asked for.
    var specification: Specification { get set }
    /// Its progress.
    var progress: Progress { get set }
    /// The URL that is requested first.
    var url: HTTPURL { get }
    /// Two transfers with equal identities are the same. Work without an identity is never the same as other work: two
    /// equal requests are both sent.
    var identity: String? { get }
    /// The identity by which a completed transfer is found. It omits a URL's password, which a stored digest could
    /// reveal.
    var completedIdentity: String? { get }
    /// The terms that every kind of work has.
    var terms: WorkTerms { get set }
    /// The terms of its HTTP exchanges.
    var exchange: ExchangeTerms { get }
    /// The failure when its attempt was stopped and it cannot be resumed; `nil` when it is resumed later.
    var failureWhenStopped: TransferFailure? { get }
    /// The failure in any process but the one that added it; `nil` when every process can do it.
    var failureInOtherProcess: TransferFailure? { get }
    /// The failure after its process died; `nil` when it is simply retried.
    var failureAfterDeath: TransferFailure? { get }
    /// The failure when its deadline has passed.
    var failureAfterDeadline: TransferFailure { get }
    /// The directory on whose disk it needs room; `nil` when it writes no file. A wait for space then ends only when it
    /// is resumed.
    var directoryThatNeedsRoom: String? { get }
    /// Whether another source can be asked if the host of its URL does not exist.
    var hasOtherSources: Bool { get }
    /// Whether it gets a response, from which others may take values.
    var hasResponse: Bool { get }
    /// The status of an answer that is lost unless it is recorded: the request may not be sent again to get it.
    var onlyAnswer: Int? { get }
    /// What a cancelled transfer must still remove.
    var residue: WorkResidue? { get }
    /// What a completed transfer must still remove.
    var residueWhenCompleted: WorkResidue? { get }
    /// Whether nothing is lost when it is forgotten after a failure: it has neither bytes nor anything that must be sent.
    var hasNothingToLose: Bool { get }
    /// The copy of a body that is kept for it until it is over.
    var bodyCopy: PinnedFile? { get }
    /// The files that it reads as long as they are not sent, without copies.
    var filesToSend: [PinnedFile] { get }
    /// The path of the file that is to be at its URL in the end; `nil` for work that puts none there.
    var uploadedFile: String? { get }
    /// The ETag of the version that it got, exactly as the server gave it; `nil` without one.
    var fetchedETag: String? { get }
    /// The HTTP status of the latest answer; of a download, of the first one whose bytes were taken. `nil` if there was
    /// none, or if it was not recorded.
    var latestStatus: Int? { get }
    /// How a new transfer of its kind is requested.
    var renewal: Remedy { get }

    /// How it is given up and requested again.
    func renewals(isOver: Bool) -> [Remedy]

    /// Whether a remedy applies to this work.
    func isPossible(_ remedy: Remedy) -> Bool

    /// Whether new work of its kind, added under the same UUID, asks for the same as this one did.
    ///
    /// - Parameter isOver: whether it never runs again, and has dropped its secrets.
    func isRepeated(by other: Self, isOver: Bool) -> Bool

    /// Why an edit may not be applied; `nil` when it may.
    func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError?

    /// Why it is not shared with the transfer of another process; `nil` when it can be.
    func refusalToShare(_ id: TransferID) -> StoreError?

    /// Whether it may have taken effect. Then a person or an application may resolve it after any failure.
    var mayHaveArrived: Bool { get }

    /// Takes what a person or an application has found out about an unknown outcome.
    ///
    /// - Returns: whether its outcome was unknown, or it may have taken effect.
    mutating func resolve(_ outcome: RequestOutcome) -> Bool

    /// Notes that its process is gone and may have been writing.
    mutating func lostProcess()

    /// Notes what becomes of its residue, when it is cancelled and afterwards.
    mutating func settleResidue(as fate: ResidueFate)

    /// Drops the secrets of work that never runs again.
    mutating func dropSecrets()

    /// Drops what was done so far on terms that no longer apply, so that the next attempt starts over.
    mutating func dropBytes()

    /// Forgets what is told only of the command that queues it, because another command does so.
    mutating func beginAnew()

    /// Uses another URL from now on. Secrets stay with the origin that they were given for (I7); another origin needs
    /// new ones.
    mutating func take(url: HTTPURL)

    /// Uses another URL from the next request on, also in a running attempt, if it is still the same work then.
    ///
    /// - Returns: whether the URL is another one and was taken.
    mutating func renew(url: HTTPURL) -> Bool

    /// Becomes the work that was requested last, if only that one counts. No attempt runs.
    ///
    /// - Returns: whether it has changed.
    mutating func replace(by other: Self) -> Bool

    /// Applies the fields of an edit that only its kind stores.
    mutating func apply(_ edit: TransferEdit)

    /// Notes that an attempt used this URL, which has been replaced since.
    mutating func noteAsked(_ url: HTTPURL)
}

extension TransferWork {
    package var failureWhenStopped: TransferFailure? { nil }
    package var failureInOtherProcess: TransferFailure? { nil }
    package var failureAfterDeath: TransferFailure? { nil }
    package var failureAfterDeadline: TransferFailure {
        TransferFailure(.deadlinePassed, "Its deadline has passed, so no attempt begins any more.")
    }
    package var directoryThatNeedsRoom: String? { nil }
    package var hasOtherSources: Bool { false }
    package var hasResponse: Bool { false }
    package var onlyAnswer: Int? { nil }
    package var residueWhenCompleted: WorkResidue? { nil }
    package var hasNothingToLose: Bool { false }
    package var bodyCopy: PinnedFile? { nil }
    package var filesToSend: [PinnedFile] { [] }
    package var uploadedFile: String? { nil }
    package var fetchedETag: String? { nil }

    package func renewals(isOver: Bool) -> [Remedy] { [isOver ? .remove : .cancel, renewal] }
    package func isPossible(_ remedy: Remedy) -> Bool { true }
    package func refusal(of edit: TransferEdit, to id: TransferID, in state: TransferState) -> StoreError? {
        nil
    }
    package func refusalToShare(_ id: TransferID) -> StoreError? { nil }

    package func isRepeated(by other: Self, isOver: Bool) -> Bool { true }
    package var mayHaveArrived: Bool { false }
    package mutating func resolve(_ outcome: RequestOutcome) -> Bool { false }
    package mutating func lostProcess() {}
    package mutating func dropBytes() {}
    package mutating func beginAnew() {}
    package mutating func renew(url: HTTPURL) -> Bool { false }
    package mutating func noteAsked(_ url: HTTPURL) {}

    /// A failure without the remedies that do not apply to this work. It is requested again as its kind is.
    package func withPossibleRemedies(_ failure: TransferFailure) -> TransferFailure {
        var failure = failure
        failure.remedies = failure.remedies.filter { isPossible($0) }.map { $0 == .addAgain ? renewal : $0 }
        return failure
    }

    /// The host that is requested first. Queues count by it.
    package var host: String { url.host }

    /// Whether an attempt can be ended and resumed later.
    package var isInterruptible: Bool { failureWhenStopped == nil }

    /// Whether another process can do it: a process cannot write to the standard output of another.
    package var canChangeOwner: Bool { failureInOtherProcess == nil }

    /// Becomes other work of its kind with the same identity.
    package mutating func replace(by other: any TransferWork) -> Bool {
        guard let other = other as? Self else { return false }
        return replace(by: other)
    }

    /// Whether new work, added under the same UUID, asks for the same as this one did.
    package func isRepeated(by other: any TransferWork, isOver: Bool) -> Bool {
        (other as? Self).map { isRepeated(by: $0, isOver: isOver) } ?? false
    }
}

/// What the progress of every kind of work must provide.
package protocol TransferWorkProgress: Hashable, Sendable {
    /// The number of bytes received.
    var received: Int64 { get }
    /// The length of the whole in bytes; `nil` if unknown.
    var total: Int64? { get }
    /// The explanation of the latest resume or restart, for display.
    var note: TransferNote? { get }
    /// Whether a server has ever answered.
    var hasAnswer: Bool { get }
    /// Whether the next attempt begins again although bytes were received.
    var startsOver: Bool { get }

    /// Whether it has come far enough past `best` to count as progress.
    func isRealProgress(past best: Int64) -> Bool
}
