/// Where transfers are kept: the meeting place of every process that adds, runs, watches or steers them.
///
/// Each function is one transaction. Writes that arrive together may be committed together, but none returns
/// before its own commit. Every conformance passes the suite in `FerryTesting`.
public protocol TransferStore: Sendable {
    /// Whether it may only be read: what is read is what it held when it was opened, and nothing is heard of changes.
    var isReadOnly: Bool { get }

    // MARK: Owners

    /// Joins as an owner, which may then claim transfers.
    func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID

    /// Records another proof that an owner lives, in place of the one with which it joined. One that was removed
    /// meanwhile stays so.
    func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError)

    /// Every owner that has joined and not left.
    func owners() async throws(StoreError) -> [Owner]

    /// Removes an owner that has stopped or died.
    ///
    /// What it still held becomes free: active ones are queued again with their checkpoint, and a wish that was
    /// not yet obeyed takes effect; see ``Transfer/lostOwner(_:isAlone:at:)``.
    ///
    /// - Returns: the transfers that changed hands by it.
    func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    /// Frees some of what owners hold that a person takes for gone, as ``Transfer/takenOver(at:)`` says. An owner
    /// that holds nothing any more by it is removed.
    ///
    /// - Returns: the transfers that changed hands by it.
    func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    // MARK: Adding

    /// Adds transfers; returns after a commit that survives power loss (I3).
    ///
    /// A specification whose identity another transfer has that is not over, or else has failed, is not added again:
    /// that transfer meets it, as ``Transfer/meet(_:holder:token:at:)`` says. The one that is not over comes before
    /// those that have failed, and the latest of those before the others.
    ///
    /// One that comes into a full queue which cancels the oldest goes before all that wait there, and the oldest
    /// running one is asked to give way, as ``TransferQueue/admission(running:waiting:)`` decides.
    ///
    /// One that is added outside of its time window waits for that to open. So does whatever else could run and is
    /// outside of it, as soon as its row is written or a claim comes upon it.
    ///
    /// One that is to come after others (``NewTransfer/after``) waits for those that are not completed. Whenever a
    /// transfer completes, those that waited for nothing else are queued by the same commit; when it fails or is
    /// cancelled they fail by the same commit, and so do all that come after them.
    ///
    /// - Parameters:
    /// - completed: for each of them the latest completed transfer with the same identity, as ``completed(like:)``
    ///   told of it to a caller whom it does not serve. When another one has completed since, nothing is added in its
    ///   place: that transfer is attached to, and is as it was. Without it, what is completed does not count. What is
    ///   added again under a ``NewTransfer/uuid`` that is known is attached to, and is as it was.
    /// - holder: when given, the transfers that nobody else held are queued and held by this owner, so that nobody
    ///   else claims them.
    /// - Throws: ``StoreError/noSuchTransfer(_:)`` and ``StoreError/notPossible(_:_:)`` for one that is to come after
    ///   what is unknown, has failed, was cancelled, or would come after it; ``StoreError/refusedQueue(_:)`` for a
    ///   name that no queue may have. Nothing is added then.
    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError)
        -> [Addition]

    // MARK: Running

    /// Claims transfers that can run: queued, or waiting for a moment that has come, and free or held by this owner.
    /// They become active, with one more attempt counted and a new token.
    ///
    /// Which ones, and in which order, is what ``ClaimPlan`` decides: over all processes no queue has more running
    /// than its slots, and no host more than the queue allows; a paused queue gives none, and a strict one only of
    /// its first (``TransferQueue/Order/strict``). Whenever a transfer fails in a strict queue that says so, those
    /// behind it fail by the same commit.
    ///
    /// A suspect (``Transfer/isSuspect``) is claimed alone, and before all others, by an owner that runs nothing.
    ///
    /// - Parameters:
    /// - limit: at most so many.
    /// - only: when given, no other transfers than these.
    /// - heldBack: hosts to which `owner` has no way at the moment. What asks one of them first stays in line, and
    ///   costs the claim as little as what waits for room.
    /// - Returns: the claimed transfers, each with its `claim`.
    func claim(
        upTo limit: Int,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        for owner: OwnerID,
        at now: Instant
    )
        async throws(StoreError) -> [Transfer]

    /// Records the progress of a claimed transfer.
    ///
    /// - Throws: ``StoreError/claimLost(_:)`` when the token is no longer the row's; nothing is changed then.
    func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    )
        async throws(StoreError)

    /// Ends an attempt: the transfer leaves `active` and the owner's hands. A cancelled one that the owner held only
    /// leaves its hands. A wish that was not yet obeyed takes
    /// effect. A final state is committed so that it survives power loss.
    ///
    /// - Returns: the transfer as it is afterwards.
    /// - Throws: ``StoreError/claimLost(_:)`` when the token is no longer the row's; nothing is changed then.
    @discardableResult
    func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer

    // MARK: Steering

    /// Asks for a pause or an end. Takes effect at once on a transfer that no owner is running, and is noted as
    /// a wish on one that is.
    ///
    /// - Parameter holder: when given, a cancelled transfer that claims a part file is held by this owner until it
    ///   is settled, so that the file is removed by somebody even if this owner dies.
    /// - Returns: the transfer as it is afterwards.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:)`` on a final transfer.
    func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer

    /// Pauses those of some transfers that an owner holds and does not run, because it is stopped; see
    /// ``Transfer/pauseHeld(by:at:)``.
    ///
    /// - Returns: those that were paused by it, in the order of `ids`.
    func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer]

    /// Frees those of some transfers that an owner holds and does not run; see ``Transfer/letGo(by:)``.
    func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError)

    /// Queues those of some transfers that an owner only left as it was stopped; see
    /// ``Transfer/takeUp(holder:token:at:)``. One that would wait in vain for others stays as it is.
    ///
    /// - Parameter holder: when given, they are held by this owner.
    /// - Returns: those that are queued or wait by it, in the order of `ids`.
    func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer]

    /// Queues a paused, waiting or failed transfer again, with no attempts counted, and takes back a pause that
    /// was asked for and not yet obeyed. One that comes after others which are not completed waits for them.
    ///
    /// - Parameter holder: when given, the transfer is held by this owner.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:)`` on a completed or cancelled
    ///   transfer, on one that comes after what has failed, was cancelled or is not there any more, and on a failed one
    ///   while another transfer that is not over has its identity.
    func requeue(_ id: TransferID, holder: OwnerID?, at now: Instant) async throws(StoreError) -> Transfer

    /// Queues a transfer that waits for just that condition, and that no owner holds other than `holder`; any other
    /// stays as it is.
    ///
    /// - Returns: the queued transfer, or `nil` when it did not wait for that any more.
    func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer?

    /// Changes what a transfer is asked to do. One that is active is asked to reload; one that waits for a new
    /// URL and gets one is queued, and so is one that waits for its time window and gets another that is open.
    ///
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:)`` on a completed or cancelled
    ///   transfer, or when two that are not over would have one identity; ``StoreError/refusedQueue(_:)`` for
    ///   a name that no queue may have.
    func edit(_ id: TransferID, _ edit: TransferEdit, at now: Instant) async throws(StoreError) -> Transfer

    /// Forgets transfers that are final. Files are not touched. Nobody waits for a completed one; what has failed
    /// because of another one will not be queued again when that is forgotten.
    ///
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:)`` on one that is not final;
    ///   nothing is changed then.
    func forget(_ ids: [TransferID]) async throws(StoreError)

    /// Forgets the oldest of the transfers that are over, as far as they are more than is kept. Only completed ones
    /// and those cancelled ones that have no part file any more are forgotten so, and none that somebody holds.
    ///
    /// - Parameter limit: at most so many at once, so that no other write waits long.
    /// - Returns: those that were forgotten; as many as `limit` says when there may be more.
    func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    // MARK: Queues

    /// The queues that were ever changed and those in which something runs or could run, by name.
    func queues() async throws(StoreError) -> [QueueSummary]

    /// The queues that were ever changed, by name. It costs far less than ``queues()``.
    func changedQueues() async throws(StoreError) -> [TransferQueue]

    /// A queue; as ``TransferQueue/init(_:)`` makes it when it was never changed.
    func queue(named name: String) async throws(StoreError) -> TransferQueue

    /// Changes a queue. When it is paused by that, its running transfers are asked to checkpoint and stop; they are
    /// queued again, and start when it is resumed.
    ///
    /// - Returns: the queue as it is afterwards.
    /// - Throws: ``StoreError/refusedQueue(_:)`` when it would mean nothing, or has a name that none may have;
    ///   nothing is changed then.
    func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue

    /// Forgets what was changed about a queue, so that it is as one that never was.
    ///
    /// - Returns: whether anything had been changed.
    /// - Throws: ``StoreError/notPossible(_:_:)`` when a transfer stands in it that is not over, with the number of
    ///   one; nothing is changed then.
    func remove(queue name: String) async throws(StoreError) -> Bool

    /// Whether a suspect could be claimed by `owner` if that ran nothing.
    func holdsSuspects(
        _ owner: OwnerID,
        only: Set<TransferID>?,
        heldBack: Set<String>,
        at now: Instant
    ) async throws(StoreError) -> Bool

    /// Whether something waits for nothing but room in a queue that is neither paused nor held by the first of it, or
    /// for the way to its host, and could be claimed by `owner` if there were any.
    func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool

    // MARK: Servers

    /// What is known of a server; nothing when the finding is older than ``ServerTraits/lifetime``.
    func traits(of server: Origin, at now: Instant) async throws(StoreError) -> ServerTraits

    /// Remembers what a server was found to do, in place of what was known of it. Findings older than
    /// ``ServerTraits/lifetime`` are forgotten.
    func remember(_ traits: ServerTraits, of server: Origin, at now: Instant) async throws(StoreError)

    // MARK: Looking

    /// One transfer, or `nil` when there is none with that number.
    func transfer(_ id: TransferID) async throws(StoreError) -> Transfer?

    /// Some transfers as they were at one moment, in the order of `ids`; `nil` where there is none with that number,
    /// or where its row is damaged.
    func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?]

    /// What the attempts at some transfers have to obey, in the order of `ids`; `nil` where there is none with that
    /// number. It costs far less than to read the transfers.
    func orders(for ids: [TransferID]) async throws(StoreError) -> [AttemptOrders?]

    /// For each specification the latest completed transfer with the same identity, or `nil` where there is none.
    func completed(like specifications: [DownloadSpecification]) async throws(StoreError) -> [Transfer?]

    /// For each specification the transfers with the same identity that still mean something, in the order of their
    /// numbers: the one that is not over, and of those that have failed, are completed or were cancelled the latest
    /// each.
    func transfers(like specifications: [DownloadSpecification]) async throws(StoreError) -> [[Transfer]]

    /// The transfer with this UUID; `nil` if no transfer has it.
    func transfer(uuid: TransferUUID) async throws(StoreError) -> Transfer?

    /// The latest transfer with this tag; `nil` if no transfer has it.
    func latest(tagged tag: TransferTag) async throws(StoreError) -> Transfer?

    /// For each file the latest completed transfer that saved it, or `nil` where there is none.
    func completed(saving files: [SavedFile]) async throws(StoreError) -> [Transfer?]

    /// What reads of many transfers have passed over, because it is damaged, since the store was opened.
    func damagedTransfers() async -> [DamagedTransfer]

    /// A page of transfers in the order of their numbers. A damaged row is passed over: it must not keep anybody from
    /// what is whole.
    func transfers(
        _ filter: TransferFilter,
        after: TransferID?,
        limit: Int
    ) async throws(StoreError)
        -> [Transfer]

    /// The attempts of a transfer that did not complete it, oldest first; at most the latest 100 are kept.
    func attempts(of id: TransferID) async throws(StoreError) -> [Attempt]

    /// The transfers that come after a transfer and for which it is not completed, in order.
    func dependents(of id: TransferID) async throws(StoreError) -> [TransferID]

    /// How many transfers are in each state, by the state's name.
    func counts() async throws(StoreError) -> [String: Int]

    /// The earliest moment later than `moment` at which a waiting transfer becomes claimable by `owner`, or `nil` when
    /// none will by itself. What is due and was not claimed waits for room in its queue, and not for a moment.
    ///
    /// It is the moment as it was recorded. One that was set while the clock was wrong can be claimed earlier; see
    /// ``WaitCondition/farthestRetry``.
    func nextWakeTime(for owner: OwnerID, after moment: Instant) async throws(StoreError) -> Instant?

    /// An element whenever anything in the store may have changed, by this process or another, at most 250 ms
    /// after it did. Changes that come close together give one element.
    func changes() -> AsyncStream<Void>

    // MARK: Care

    /// Checks the store from top to bottom; returns what is wrong with it, in words, or nothing.
    func verify() async throws(StoreError) -> [String]

    /// Makes anew what can be wrong only because another program was at work, or the disk failed: a count, or who
    /// stands first, which are derived from the transfers; the rows of owners and queues that cannot be read; and
    /// columns of a transfer that contradict its state, its request or what it comes after. What an owner held that
    /// cannot be read or does not exist is free, and a queue that cannot be read is paused with its usual settings.
    /// Nothing else of a transfer is changed.
    ///
    /// - Returns: what was wrong, in words, or nothing; also what was mended when the store was opened.
    func mend() async throws(StoreError) -> [String]

    /// Commits what is under way and closes the store. Nothing may follow.
    func close() async

    /// Runs `body` while this store is not writing, and so keeps nobody from writing; writes that come meanwhile wait.
    func betweenWrites(_ body: @escaping @Sendable () -> Void) async
}

/// What became of one specification that was to be added.
public enum Addition: Hashable, Sendable {
    /// It is a new transfer.
    case added(Transfer)
    /// A failed transfer with the same identity was queued anew.
    case revived(Transfer)
    /// An unfinished transfer with the same identity is there already; queued for whoever asked, unless another
    /// owner has it. An engine that was
    /// asked to download also answers so with a completed one whose file is still in its place.
    case attached(Transfer)

    /// What became of a specification that met a transfer with the same identity.
    public init(_ transfer: Transfer, _ reunion: Transfer.Reunion) {
        switch reunion {
        case .revived: self = .revived(transfer)
        case .attached: self = .attached(transfer)
        }
    }

    /// The transfer that it became.
    public var transfer: Transfer {
        switch self {
        case .added(let transfer), .revived(let transfer), .attached(let transfer): transfer
        }
    }
}

/// Which transfers to list.
public enum TransferFilter: Hashable, Sendable {
    /// Every one.
    case all
    /// Those that are not final.
    case unfinished
    /// Those that can go on: not final, or failed.
    case incomplete
    /// Those in one state, by its name.
    case state(String)
    /// Those that wait for one condition, by its name.
    case waiting(String)
    /// Those in one of these states, by their names, or in any for `nil`; of one queue, or of every for `nil`; with
    /// one tag, or with any and none for `nil`.
    case among([String]?, queue: String? = nil, tag: TransferTag? = nil)
}
