import FerryCore

/// Runs one attempt at a transfer of any kind. The scheduler uses only this protocol.
protocol AttemptRunner: AnyObject, Sendable {
    /// The transfer as it was claimed.
    var transfer: Transfer { get }
    /// The claim under which the attempt writes.
    var claim: Claim { get }
    /// The attempt's progress.
    var meter: ProgressMeter { get }
    /// The transfer's own URL, as last requested.
    var askedURL: HTTPURL { get }

    /// Runs the attempt to its end. Until the caller detaches the meter, no other task publishes the transfer.
    func run() async -> AttemptReport

    /// Asks the attempt to end.
    func ask(_ order: StopOrder)

    /// Applies changes of the row: the rate limit, and the URL for the next request.
    func obey(_ orders: AttemptOrders)

    /// Notes that another owner has the transfer.
    func loseClaim()

    /// Looks at the progress. Called at intervals while the attempt runs.
    func tick()
}

/// What a runner reports at the end of an attempt.
enum AttemptReport: Sendable {
    /// It ended by itself or as asked; the row is to be settled with this.
    case finished(AttemptOutcome, WorkProgress)
    /// Another owner has the transfer: nothing more may be written (I4).
    case claimLost
    /// The store failed; the row stays active and is recovered later.
    case storeFailed(StoreError)
}
