import FerryCore

/// Runs one attempt at a transfer, of whatever kind. The scheduler knows no more of it than this.
protocol AttemptRunner: AnyObject, Sendable {
    /// The transfer as it was claimed.
    var transfer: Transfer { get }
    /// The claim under which the attempt writes.
    var claim: Claim { get }
    /// How far it has come.
    var meter: ProgressMeter { get }
    /// The transfer's own URL as it was asked last.
    var askedURL: HTTPURL { get }

    /// Runs the attempt to its end. Until its meter is detached, which the caller does, no one else tells of the transfer.
    func run() async -> AttemptEnd

    /// Asks the attempt to end.
    func ask(_ ending: AttemptEnding)

    /// Takes over what was changed in the row meanwhile: the limit of the rate, and the URL for the next request.
    func obey(_ orders: AttemptOrders)

    /// Tells the attempt that another owner has its transfer.
    func loseClaim()
}

/// How an attempt came to its end.
enum AttemptEnd: Sendable {
    /// It ended by itself or as asked; the row is to be settled so.
    case finished(AttemptOutcome, WorkProgress)
    /// Another owner has the transfer: nothing more may be written (I4).
    case claimLost
    /// The store failed; the row stays active and is recovered later.
    case storeFailed(StoreError)
}
