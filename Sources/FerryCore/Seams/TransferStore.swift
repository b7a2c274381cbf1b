/// Stores transfers. Every process that adds, runs, watches or steers transfers works through it.
///
/// Each function is one transaction. Concurrent writes may share a commit, but none returns before its own commit.
/// Every conformance passes the suite in `FerryTesting`.
package protocol TransferStore: TreeStore, CacheStore {
    /// Whether the store is read-only. It then returns what it held when it was opened, and reports no changes.
    var isReadOnly: Bool { get }

    // MARK: Owners

    /// Joins as an owner. The owner may then claim transfers.
    func join(_ process: ProcessIdentity, at now: Instant) async throws(StoreError) -> OwnerID

    /// Records a new proof that an owner is alive, in place of the one with which it joined. An owner that was removed
    /// stays removed.
    func renew(_ owner: OwnerID, as process: ProcessIdentity) async throws(StoreError)

    /// Returns every owner that has joined and not left.
    func owners() async throws(StoreError) -> [Owner]

    /// Removes an owner that has stopped or died.
    ///
    /// The transfers that it still held become free. Its active transfers are queued again with their progress, and a
    /// wish that was not yet obeyed takes effect; see ``Transfer/lostOwner(_:isAlone:at:)``.
    ///
    /// - Returns: the transfers that were freed.
    func remove(
        _ owner: OwnerID,
        after end: OwnerEnd,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    /// Frees transfers from owners that a person declares gone; see ``Transfer/takenOver(at:)``. An owner that then
    /// holds nothing is removed.
    ///
    /// - Returns: the transfers that were freed.
    func takeOver(
        _ ids: [TransferID],
        from owners: Set<OwnerID>,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    // MARK: Adding

    /// Adds transfers. Returns after a commit that survives power loss (I3).
    ///
    /// A specification is not added again if a transfer with its identity is unfinished or has failed. That transfer
    /// meets it; see ``Transfer/meet(_:holder:token:at:)``. An unfinished transfer comes before failed ones, and the
    /// latest of those before the others.
    ///
    /// If a queue is full and cancels the oldest, a transfer that enters it goes before all that wait there. The oldest
    /// running transfer is asked to give way; see ``TransferQueue/admission(running:waiting:)``. In a queue that also
    /// cancels waiting ones, a transfer that is added, attached to, queued again or moved there is the latest, and
    /// those that were asked for longest ago give way; see ``TransferQueue/Overflow/cancelOldestAlsoWaiting``.
    ///
    /// A transfer that is added outside its time window waits for the window to open. So does any transfer that could
    /// run but is outside its window, as soon as its row is written or a claim reaches it.
    ///
    /// A transfer that comes after others (``NewTransfer/after``) waits for those that are not completed. When a
    /// transfer completes, the same commit queues those that waited for nothing else. When it fails or is cancelled,
    /// the same commit fails all that come after it, directly or not.
    ///
    /// - Parameters:
    ///   - completed: for each specification, the latest completed transfer with the same identity, as
    ///     ``completed(like:)`` returned it to a caller that could not use it. If another one has completed since,
    ///     the specification is not added: it is attached to that transfer, which does not change. Without this
    ///     parameter completed transfers do not count. A specification with a known ``NewTransfer/uuid`` is attached
    ///     to that transfer, which does not change.
    ///   - holder: when given, this owner holds the transfers that no other owner held. They are queued, and no other
    ///     owner claims them.
    /// - Throws: ``StoreError/noSuchTransfer(_:)`` and ``StoreError/notPossible(_:_:_:)`` for a transfer that comes
    ///   after one that is unknown, has failed, was cancelled, or would itself come after it;
    ///   ``StoreError/refusedQueue(_:)`` for a name that no queue may have. Nothing is added then.
    func add(
        _ transfers: [NewTransfer],
        besides completed: [TransferID?]?,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError)
        -> [Addition]

    /// Gives completed transfers the tags and the payloads of callers who requested the same again.
    ///
    /// - Parameter transfers: the new requests, as many as `ids`.
    /// - Returns: the transfers as they are afterwards, in the order of `ids`; `nil` for an unknown number or a damaged
    ///   row.
    func label(_ ids: [TransferID], as transfers: [NewTransfer]) async throws(StoreError) -> [Transfer?]

    // MARK: Running

    /// Claims transfers that can run: queued, or waiting for a moment that has come, and free or held by this owner.
    /// They become active, with one more attempt counted and a new token.
    ///
    /// ``ClaimPlan`` decides which transfers, and in which order. Over all processes, no queue has more running than
    /// its slots, and no host more than the queue allows. A paused queue gives none, and a strict queue only its
    /// first (``TransferQueue/Order/strict``). When a transfer fails in a strict queue that asks for it, the same
    /// commit fails those behind it.
    ///
    /// A suspect (``Transfer/isSuspect``) is claimed alone, before all others, and only by an owner that runs
    /// nothing.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of transfers.
    ///   - only: when given, only these transfers.
    ///   - heldBack: transfers that `owner` does not run now. They stay in line, and make a claim no more expensive
    ///     than transfers that wait for a slot.
    ///   - others: running fetches, which have no rows. They count for the slots of queues and the limits per host.
    ///   - recordsSending: whether requests that may be repeated are recorded as sent
    ///     (``RequestWork/isRecordedByClaims``). Their commit survives power loss, so their attempts need no record.
    /// - Returns: the claimed transfers, each with its `claim`.
    func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        beside others: [RunningCount],
        recordsSending: Bool,
        for owner: OwnerID,
        at now: Instant
    )
        async throws(StoreError) -> [Transfer]

    /// Records the progress of a claimed transfer.
    ///
    /// - Throws: ``StoreError/claimLost(_:)`` when the row has another token; nothing is changed then.
    func record(
        _ progress: WorkProgress,
        for claim: Claim,
        durability: Durability,
        at now: Instant
    )
        async throws(StoreError)

    /// Ends an attempt: the transfer is no longer active, and its owner no longer holds it. A cancelled transfer that
    /// the owner held is only released. A wish that was not yet obeyed takes effect. The commit of a final state
    /// survives power loss.
    ///
    /// - Returns: the transfer as it is afterwards.
    /// - Throws: ``StoreError/claimLost(_:)`` when the row has another token; nothing is changed then.
    @discardableResult
    func settle(
        _ claim: Claim,
        as settlement: Settlement,
        at now: Instant
    ) async throws(StoreError) -> Transfer

    // MARK: Results

    /// Takes results of a type in hand: ends of transfers that are due, no owner has in hand, and no handler has
    /// handled. The end of a transfer with a type is recorded in the commit of its final state, and forgotten with the
    /// transfer and when the transfer is queued again. When an owner is removed, its results are free again.
    ///
    /// - Returns: up to `limit` results, by when they became due and by their numbers.
    func takeResults(
        of type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [ResultInHand]

    /// Ends the handling of a result. Has no effect if its owner lost it, or the transfer was queued again.
    func settle(_ result: UnhandledResult, as fate: UnhandledResult.Fate) async throws(StoreError)

    /// Returns when a result of one of these types can next be taken in hand: `now` or earlier if one can be taken now. Returns
    /// `nil` if there is no such result, or if owners have all of them in hand.
    func nextResultTime(of types: [TransferType], at now: Instant) async throws(StoreError) -> Instant?

    // MARK: Steering

    /// Requests a pause or an end. It takes effect at once on a transfer that no owner is running; otherwise it is
    /// recorded as a wish.
    ///
    /// - Parameter holder: when given, this owner holds a cancelled transfer with a residue until it is settled. The
    ///   residue is then removed even if this owner dies.
    /// - Returns: the transfer as it is afterwards.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` on a final transfer.
    func ask(
        _ wish: Wish,
        of id: TransferID,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer

    /// Pauses the given transfers that an owner holds but does not run, because the owner is stopping; see
    /// ``Transfer/pauseHeld(by:at:)``.
    ///
    /// - Returns: the transfers that were paused, in the order of `ids`.
    func pauseHeld(
        _ ids: [TransferID],
        by owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer]

    /// Frees the given transfers that an owner holds but does not run; see ``Transfer/letGo(by:)``.
    func letGo(_ ids: [TransferID], by owner: OwnerID) async throws(StoreError)

    /// Queues the given transfers that an owner left only because it was stopped; see ``Transfer/takeUp(holder:token:at:)``.
    /// A transfer that would wait for others forever stays unchanged.
    ///
    /// - Parameter holder: when given, this owner holds the transfers.
    /// - Returns: the transfers that now are queued or wait, in the order of `ids`.
    func takeUp(
        _ ids: [TransferID],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Transfer]

    /// Queues a paused, waiting or failed transfer again, with no attempts counted. Withdraws a pause that was
    /// requested and not yet obeyed. A transfer that comes after others waits for those that are not completed.
    ///
    /// - Parameter holder: when given, this owner holds the transfer.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` on a completed or cancelled
    ///   transfer; on one that comes after a transfer that has failed, was cancelled or no longer exists; and on a
    ///   failed one while another unfinished transfer has its identity.
    func requeue(_ id: TransferID, holder: OwnerID?, at now: Instant) async throws(StoreError) -> Transfer

    /// Settles what became of a request with an unknown outcome: it is completed, or queued to be sent
    /// again. The transfers behind it that failed because of it stay failed.
    ///
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` on any other transfer, and as
    ///   ``requeue(_:holder:at:)``.
    func resolve(
        _ id: TransferID,
        as outcome: RequestOutcome,
        at now: Instant
    ) async throws(StoreError) -> Transfer

    /// Queues a transfer that waits for exactly this condition and that no owner but `holder` holds. Any other
    /// transfer stays as it is.
    ///
    /// - Returns: the queued transfer; `nil` when it did not wait for that condition.
    func endWait(
        of id: TransferID,
        for condition: WaitCondition,
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> Transfer?

    /// Fails the transfers that are queued, wait or are paused although their deadline has passed, and those that come
    /// after them. A claim does the same first, so that no attempt begins after the deadline.
    ///
    /// - Returns: the transfers whose deadline has passed, in no particular order.
    func failOverdue(at now: Instant) async throws(StoreError) -> [Transfer]

    /// Changes the request of a transfer. An active transfer is asked to reload. A transfer that waits for a new URL is
    /// queued when it gets one. A transfer that waits for its time window is queued when the new window is open.
    ///
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` on a completed or cancelled
    ///   transfer, or when two unfinished transfers would have one identity; ``StoreError/refusedQueue(_:)`` for a
    ///   name that no queue may have.
    func edit(_ id: TransferID, _ edit: TransferEdit, at now: Instant) async throws(StoreError) -> Transfer

    /// Forgets final transfers. Files are not touched. No transfer waits for a completed one. A transfer that failed
    /// because of another can no longer be queued again once that one is forgotten.
    ///
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` on one that is not final;
    ///   nothing is changed then.
    func forget(_ ids: [TransferID]) async throws(StoreError)

    /// Forgets those of some downloads that were refused because something has their names
    /// (``Transfer/isRefusedForItsName``). One is kept if it was also asked for through the queue, if it has a type, while
    /// another transfer comes after it, and while it keeps its place in a strict queue.
    ///
    /// - Returns: the forgotten transfers.
    func forgetRefused(_ ids: [TransferID]) async throws(StoreError) -> [TransferID]

    /// Forgets the oldest finished transfers beyond those that `retention` keeps. Only completed and
    /// cancelled transfers without a residue are forgotten. A transfer that an owner holds is kept.
    ///
    /// Then forgets the oldest failed downloads without a byte (``Transfer/isEmptyFailure``) beyond
    /// ``Retention/emptyFailureAge``. One is kept while another transfer comes after it, while it keeps its place in a strict
    /// queue or belongs to a node, and until its end is handled.
    ///
    /// - Parameter limit: the maximum number at once, so that no other write waits long.
    /// - Returns: the forgotten transfers; if there are `limit` of them, more may remain.
    func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID]

    // MARK: Queues

    /// Returns the queues that were ever changed and those in which a transfer runs or could run, by name.
    func queues() async throws(StoreError) -> [QueueSummary]

    /// Returns the queues that were ever changed, by name. This call costs far less than ``queues()``.
    func changedQueues() async throws(StoreError) -> [TransferQueue]

    /// Returns a queue; one that was never changed is as ``TransferQueue/init(_:)`` makes it.
    func queue(named name: String) async throws(StoreError) -> TransferQueue

    /// Changes a queue. When the change pauses it, its running transfers are asked to checkpoint and stop. They are
    /// queued again, and start when the queue is resumed.
    ///
    /// - Returns: the queue as it is afterwards.
    /// - Throws: ``StoreError/refusedQueue(_:)`` when the settings make no sense or the name is not allowed; nothing
    ///   is changed then.
    func edit(
        queue name: String,
        _ edit: QueueEdit,
        at now: Instant
    ) async throws(StoreError) -> TransferQueue

    /// Forgets all changes to a queue, so that it has its default settings.
    ///
    /// - Returns: whether anything had been changed.
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` with the number of an unfinished transfer in the queue, if there is
    ///   one; nothing is changed then.
    func remove(queue name: String) async throws(StoreError) -> Bool

    /// Whether `owner` could claim a suspect if it ran nothing.
    func holdsSuspects(
        _ owner: OwnerID,
        only: TransferIDSet?,
        heldBack: HeldBack,
        at now: Instant
    ) async throws(StoreError) -> Bool

    /// Whether `owner` could claim a transfer if its queue had a free slot and its host a route. The queue must not be
    /// paused, nor blocked by its first transfer.
    func waitsForRoom(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> Bool

    /// The number of running transfers of all owners, by queue and host.
    func runningCounts() async throws(StoreError) -> [RunningCount]

    /// Transfers that no owner holds, and whose residue any process can remove, or any engine. In order.
    ///
    /// - Parameters:
    ///   - remover: who can remove it.
    ///   - last: when given, only transfers after this one.
    ///   - limit: the maximum number of transfers.
    func residues(
        for remover: ResidueRemover,
        after last: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [TransferID]

    /// Notes what has become of such residues. A transfer that an owner holds stays as it is.
    func settleResidues(of ids: [TransferID], as fate: ResidueFate) async throws(StoreError)

    // MARK: Servers

    /// Returns the known facts about a server. A finding older than ``ServerTraits/lifetime`` does not count.
    func traits(of server: Origin, at now: Instant) async throws(StoreError) -> ServerTraits

    /// Remembers the findings about a server, in place of earlier ones. Forgets findings older than
    /// ``ServerTraits/lifetime``.
    func remember(_ traits: ServerTraits, of server: Origin, at now: Instant) async throws(StoreError)

    // MARK: Reading

    /// Returns a transfer; `nil` if no transfer has that number.
    func transfer(_ id: TransferID) async throws(StoreError) -> Transfer?

    /// Returns transfers as they were at one moment, in the order of `ids`; `nil` for an unknown number or a damaged
    /// row.
    func transfers(_ ids: [TransferID]) async throws(StoreError) -> [Transfer?]

    /// Returns the orders that the attempts at some transfers must obey, in the order of `ids`; `nil` for an unknown
    /// number. This costs far less than reading the transfers.
    func orders(for ids: [TransferID]) async throws(StoreError) -> [AttemptOrders?]

    /// Returns for each the latest completed transfer with the same identity, or `nil`.
    func completed(like works: [Work]) async throws(StoreError) -> [Transfer?]

    /// Returns for each the relevant transfers with the same identity, in the order of their numbers: the unfinished
    /// one, the latest failed one, the latest completed one and the latest cancelled one.
    func transfers(like works: [Work]) async throws(StoreError) -> [[Transfer]]

    /// Returns the transfer with this UUID, or `nil`.
    func transfer(uuid: TransferUUID) async throws(StoreError) -> Transfer?

    /// Returns the latest transfer with this tag, or `nil`.
    func latest(tagged tag: TransferTag) async throws(StoreError) -> Transfer?

    /// Returns for each file the latest completed transfer that saved it, or `nil`.
    func completed(saving files: [SavedFile]) async throws(StoreError) -> [Transfer?]

    /// Returns the damaged rows that reads of many transfers have skipped since the store was opened.
    func damagedTransfers() async -> [DamagedTransfer]

    /// Returns a page of transfers in this order. Damaged rows are skipped, so that intact ones remain readable.
    func transfers(
        _ filter: TransferFilter,
        in order: ListOrder,
        limit: Int
    ) async throws(StoreError)
        -> [Transfer]

    /// Returns the attempts of a transfer that did not complete it, oldest first. The latest 100 are kept.
    func attempts(of id: TransferID) async throws(StoreError) -> [Attempt]

    /// Returns the transfers that come after a transfer and wait for it to complete, in order.
    func dependents(of id: TransferID) async throws(StoreError) -> [TransferID]

    /// Returns the number of transfers in each state. States without transfers are left out.
    func counts() async throws(StoreError) -> [TransferState.Name: Int]

    /// Returns the earliest moment after `moment` at which a waiting transfer becomes claimable by `owner`; `nil`
    /// when none will by itself. A transfer that is due and was not claimed waits for room in its queue, not for a
    /// moment.
    ///
    /// The moment is the recorded one. If it was set while the clock was wrong, the transfer may be claimed earlier;
    /// see ``WaitCondition/farthestRetry``.
    func nextWakeTime(for owner: OwnerID, after moment: Instant) async throws(StoreError) -> Instant?

    /// Returns the earliest deadline of the transfers that are queued, wait or are paused; `nil` if none has one.
    func nextDeadline() async throws(StoreError) -> Instant?

    /// Yields an element at most 250 ms after anything in the store may have changed, by this process or another.
    /// Changes close together give one element.
    ///
    /// - Parameter owner: an owner whose claims, records and settlements give fewer elements or none. With many short
    ///   attempts they are most of the changes, and their owner knows them. `nil` for no such owner.
    func changes(besides owner: OwnerID?) -> AsyncStream<Void>

    // MARK: Maintenance

    /// Checks the whole store. Returns what is wrong with it, in words, or nothing.
    func verify() async throws(StoreError) -> [String]

    /// Commits pending writes and closes the store. Nothing may follow.
    func close() async
}
