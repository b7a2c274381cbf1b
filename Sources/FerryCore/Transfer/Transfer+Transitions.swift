/// The transitions of a transfer. Every change of state goes through one of these, so that all stores agree and no
/// other change is possible.
extension Transfer {
    /// Whether `owner` may claim this transfer at `now`: queued or due, and free or held by that owner.
    package func isClaimable(by owner: OwnerID, at now: Instant) -> Bool {
        (claim == nil || claim?.owner == owner) && isReady(at: now)
    }

    /// Whether it could run at `now` for its holder, if any: queued or due.
    package func isReady(at now: Instant) -> Bool {
        switch state {
        case .queued: return true
        case .waiting(let condition): return condition.hasEnded(at: now, noted: updated)
        case .active, .paused, .completed, .failed, .cancelled: return false
        }
    }

    /// Whether it waits for a disk that is read-only, and not for one that is not mounted.
    package var waitsForWritableDisk: Bool {
        switch latestFailure?.code {
        case .cannotCreate, .storageFault: state == .waiting(.diskMount)
        default: false
        }
    }

    /// `queued` or a wait that has ended → `active`, with one more attempt counted.
    ///
    /// Attempts are counted at their beginning, so that a transfer that kills its process is noticed.
    ///
    /// - Parameter recordsSending: whether it also records that a request is sent, if it may be repeated.
    /// - Returns: whether it has recorded that. The commit must then survive power loss.
    @discardableResult
    package mutating func becomeActive(
        for owner: OwnerID,
        token: Int64,
        recordsSending: Bool = false,
        at now: Instant
    ) -> Bool {
        precondition(isClaimable(by: owner, at: now), "I4: only a transfer that is free can be claimed")
        state = .active
        claim = Claim(transfer: id, owner: owner, token: token)
        attempts += 1
        attemptStarted = now
        updated = now
        return recordsSending && work.recordSending(at: now)
    }

    /// Whether the holder of `claim` may still write: it runs the transfer, or must remove its residue.
    package func isHeld(by claim: Claim) -> Bool {
        self.claim == claim && (state == .active || state == .cancelled)
    }

    /// `active` → the outcome of the attempt. A wish that was not yet obeyed takes effect on the result.
    ///
    /// An attempt may have obeyed a cancellation that was withdrawn meanwhile. The transfer is then queued again,
    /// with the bytes that are left.
    package mutating func settle(_ settlement: Settlement, at now: Instant) {
        work.take(settlement)
        let displacement = latestFailure.flatMap { $0.code == .gaveWay ? $0 : nil }
        if let failure = settlement.failure { latestFailure = failure }
        if let attempts = settlement.attempts { self.attempts = attempts }
        if let ledger = settlement.ledger { self.ledger = ledger }
        // The process survived the attempt.
        ledger.deaths = 0
        let next = stateAfter(settlement)
        // Its residue stays and belongs to the user. This comes first: the end drops what only a kept part
        // file needs.
        if next == .cancelled, wish == .cancel(keepingPart: true) {
            work.change { $0.settleResidue(as: .kept) }
        }
        enter(next, at: now)
        if settlement.state == .cancelled, state == .queued { attempts = 0 }
        if settlement.isLeft { leave(at: now) }
        if let wish = self.wish, !state.isFinal { obeyAtOnce(wish, at: now) }
        wish = nil
        if state == .cancelled, let displacement { latestFailure = displacement }
        switch state {
        case .queued, .waiting: if !settlement.keepsHold { claim = nil }
        case .active, .paused, .completed, .failed, .cancelled: claim = nil
        }
    }

    /// The state that a settlement leads to, before a wish and a stopping owner are considered.
    private func stateAfter(_ settlement: Settlement) -> TransferState {
        switch settlement.state {
        case .cancelled where state == .active && wish?.isCancel != true:
            work.failureWhenStopped.map { TransferState.failed($0) } ?? .queued
        // A fresh URL was given meanwhile and is not tried yet.
        case .waiting(.newURL) where settlement.asked.map { $0 != work.url } ?? false: .queued
        default: settlement.state
        }
    }

    /// Requests a pause or an end.
    ///
    /// - Parameter holder: when given, this owner holds a cancelled transfer until its residue is removed. If the
    ///   owner dies first, the process that frees its transfers removes the residue.
    package mutating func ask(
        _ wish: Wish,
        holder: OwnerID? = nil,
        token: Int64 = 0,
        at now: Instant
    ) throws(StoreError) {
        switch state {
        case .completed:
            throw .notPossible(id, "Transfer \(id) is complete; there is nothing left to \(wish.verb).")
        case .cancelled:
            throw .notPossible(id, "Transfer \(id) was cancelled; there is nothing left to \(wish.verb).")
        case .failed(let failure) where wish == .pause:
            throw .notPossible(
                id,
                "Transfer \(id) has failed and is not running.",
                failure.code.needsResolution ? failure.code.remedies : [.retry]
            )
        case .active where wish == .pause && self.wish?.isCancel == true:
            throw .notPossible(
                id,
                "Transfer \(id) is being cancelled; there is nothing left to pause.",
                [work.renewal]
            )
        case .active:
            // A reload is weaker than a stop, and the next attempt uses the edited settings anyway.
            if wish != .reload || self.wish?.makesRoom != true { self.wish = wish }
            if wish != .reload { isForQueue = false }
            updated = now
        case .queued, .waiting, .paused, .failed:
            obeyAtOnce(wish, at: now)
            if remover == .canceller, let holder {
                claim = Claim(transfer: id, owner: holder, token: token)
            }
        }
    }

    /// `queued` or `waiting` → `paused`, when `owner` holds it and is stopping. As after a stop of a running transfer
    /// (``Settlement/isLeft``), another process that wants it resumes it. A transfer that is for the queue only
    /// becomes free.
    ///
    /// - Returns: whether `owner` held it.
    package mutating func pauseHeld(by owner: OwnerID, at now: Instant) -> Bool {
        guard isHeldWaiting(by: owner) else { return false }
        leave(at: now)
        claim = nil
        return true
    }

    /// Releases a `queued` or `waiting` transfer, because `owner` is suspended and others may continue meanwhile. A
    /// download to a stream stays held, as no other process could continue it.
    ///
    /// - Returns: whether it was held and could be released.
    package mutating func letGo(by owner: OwnerID) -> Bool {
        guard isHeldWaiting(by: owner), work.isInterruptible else { return false }
        claim = nil
        return true
    }

    /// Whether `owner` holds it without running it.
    private func isHeldWaiting(by owner: OwnerID) -> Bool {
        guard claim?.owner == owner else { return false }
        switch state {
        case .queued, .waiting: return true
        case .active, .paused, .completed, .failed, .cancelled: return false
        }
    }

    /// Pauses an unfinished transfer, with a note that no one asked for that, unless it is for the queue.
    private mutating func leave(at now: Instant) {
        guard !isForQueue else { return }
        switch state {
        case .queued, .waiting, .paused:
            let left = Leaving(state)
            enter(.paused, at: now)
            ledger.left = left
        case .active, .completed, .failed, .cancelled: break
        }
    }

    /// Whether it is paused only because its owner stopped, and not because a caller requested a pause.
    package var isLeft: Bool { state == .paused && ledger.left != nil }

    /// `paused` → `queued`, or to the wait that its owner left it in: another process wants it.
    ///
    /// - Parameter holder: when given, this owner holds the transfer.
    /// - Returns: whether it is resumed.
    package mutating func takeUp(holder: OwnerID?, token: Int64, at now: Instant) -> Bool {
        guard state == .paused, let left = ledger.left else { return false }
        if !dependencies.isEmpty {
            enter(.waiting(.dependency), at: now)
        } else if let moment = left.retryAt,
            !WaitCondition.retry(at: moment).hasEnded(at: now, noted: updated)
        {
            enter(.waiting(.retry(at: moment)), at: now)
        } else {
            enter(.queued, at: now)
        }
        claim = holder.map { Claim(transfer: id, owner: $0, token: token) }
        return true
    }

    /// Ends a transfer because its queue is full and `newcomer` goes before it. A running transfer is asked to end; any
    /// other is cancelled at once. When it has been cancelled, its latest failure says so.
    ///
    /// - Parameter evenPaused: whether a paused transfer also takes a slot. If not, a transfer that is asked to pause
    ///   has freed its slot.
    package mutating func giveWay(to newcomer: TransferID, evenPaused: Bool = false, at now: Instant) {
        let makesRoom = evenPaused ? wish?.isCancel : wish?.makesRoom
        switch state {
        case .active where makesRoom != true: wish = .cancel(keepingPart: false)
        case .queued, .waiting, .paused: obeyAtOnce(.cancel(keepingPart: false), at: now)
        case .active, .completed, .failed, .cancelled: return
        }
        latestFailure = TransferFailure(
            .gaveWay,
            "It gave way to transfer \(newcomer), because queue \(queue) was full and cancels the oldest.",
            remedies: [work.renewal, .letQueueWait(queue: queue)]
        )
        updated = now
    }

    /// Asks a running transfer to checkpoint and stop because its queue is paused. It is queued again. A stream
    /// continues, as it cannot be resumed.
    package mutating func stepBack(at now: Instant) {
        guard state == .active, wish == nil, work.isInterruptible else { return }
        wish = .reload
        updated = now
    }

    /// `paused`, `waiting` or `failed` → `queued` with no attempts counted, or `waiting(dependency)` while it has
    /// ``dependencies``. On an active transfer, withdraws a pause or a cancellation that was not yet obeyed.
    package mutating func requeue(holder: OwnerID?, token: Int64, at now: Instant) throws(StoreError) {
        switch state {
        case .completed:
            throw .notPossible(id, "Transfer \(id) is complete and is never run again.")
        case .cancelled:
            throw .notPossible(id, "Transfer \(id) was cancelled.", [work.renewal])
        case .active:
            takeBackWish()
        case .failed(let failure) where failure.code.needsResolution:
            let reason =
                failure.code == .outcomeUnknown
                ? "It is unknown whether transfer \(id) has arrived, and it is not sent again: it could arrive twice."
                : "Transfer \(id) has taken effect, and is not sent again to get its response."
            throw .notPossible(id, reason, failure.code.remedies)
        case .queued, .waiting, .paused, .failed:
            if let notAfter = work.terms.notAfter, notAfter <= now {
                throw .notPossible(
                    id,
                    "The deadline of transfer \(id) has passed, so no attempt begins any more.",
                    [.giveDeadline]
                )
            }
            if state.isFailed { isForQueue = false }
            startAnew(at: now)
            if claim == nil, let holder { claim = Claim(transfer: id, owner: holder, token: token) }
        }
        if holder == nil { isForQueue = true }
        updated = now
    }

    /// Enters `queued` or `waiting(dependency)`, with no attempts counted.
    mutating func startAnew(at now: Instant) {
        enter(dependencies.isEmpty ? .queued : .waiting(.dependency), at: now)
        attempts = 0
        ledger.deaths = 0
        ledger.unknownHosts = 0
        latestFailure = nil
        work.change { $0.beginAnew() }
    }

    /// Settles what became of a failed request that may have arrived: `failed` → `completed`, or as
    /// ``requeue(holder:token:at:)``.
    package mutating func resolve(
        _ outcome: RequestOutcome,
        at now: Instant
    ) throws(StoreError) {
        guard case .failed(let failure) = state, failure.code.needsResolution || work.value.mayHaveArrived,
            // What is known to have taken effect is never sent again (I8).
            failure.code != .responseLost || outcome == .arrived,
            work.change({ $0.resolve(outcome) })
        else {
            throw .notPossible(
                id,
                "Transfer \(id) is \(state.name), and no one needs to say whether it has arrived.",
                state.name == .failed ? [.retry] : []
            )
        }
        switch outcome {
        case .arrived: enter(.completed, at: now)
        case .notArrived:
            startAnew(at: now)
            isForQueue = true
        }
    }

    /// Withdraws an earlier pause or cancellation of an active transfer, because it is wanted now. If the attempt has
    /// already obeyed, the transfer is queued again when it is settled.
    mutating func takeBackWish() {
        guard wish?.makesRoom == true else { return }
        wish = nil
        if latestFailure?.code == .gaveWay { latestFailure = nil }
    }

    /// A wait for `condition` is over. Has no effect on a transfer that does not wait for exactly that, that another
    /// owner than `holder` holds, or that has ``dependencies``.
    ///
    /// Failures before the network was lost still count when it is back: the loss says nothing about the server.
    ///
    /// - Returns: whether the transfer was queued.
    package mutating func endWait(
        for condition: WaitCondition,
        holder: OwnerID? = nil,
        at now: Instant
    ) -> Bool {
        guard claim == nil || claim?.owner == holder, state == .waiting(condition), dependencies.isEmpty
        else {
            return false
        }
        enter(.queued, at: now)
        if condition != .network { attempts = 0 }
        latestFailure = nil
        return true
    }

    /// Changes the request of the transfer.
    package mutating func apply(_ edit: TransferEdit, at now: Instant) throws(StoreError) {
        switch state {
        case .completed, .cancelled:
            throw .notPossible(
                id,
                "Transfer \(id) is \(state.name); only a transfer that can still run can be edited."
            )
        case .active where wish?.isCancel == true:
            throw .notPossible(
                id,
                "Transfer \(id) is being cancelled; only a transfer that can still run can be edited."
            )
        case .queued, .active, .waiting, .paused, .failed: break
        }
        if let foreign = edit.options?.kind.rawValue, foreign != kind.rawValue {
            throw .notPossible(id, "Transfer \(id) is not a \(foreign), and has no \(foreign) options.")
        }
        if let refusal = work.value.refusal(of: edit, to: id, in: state) { throw refusal }
        if edit.after != nil { try requireFreeOrder() }
        if let queue = edit.queue { try TransferQueue.requireName(queue) }
        if let url = edit.url { work.change { $0.take(url: url) } }
        let former = work.terms
        if let queue = edit.queue { self.queue = queue }
        if let priority = edit.priority { self.priority = priority }
        work.apply(edit)
        let changesTheRequest =
            edit.url != nil || edit.credentials != nil || edit.headers != nil || edit.options != nil
        // A transfer that may run in the background continues unchanged. So does a stream, which cannot be resumed.
        if former.runsInBackground, !work.terms.runsInBackground, work.isInterruptible, state == .active,
            wish == nil
        {
            wish = .reload
        }
        if changesTheRequest {
            if state == .active, wish == nil { wish = .reload }
            if state == .waiting(.newURL) { enter(.queued, at: now) }
        }
        if let after = edit.after { replaceDependencies(with: after, at: now) }
        // Whether the new window is open is decided when the row is written.
        if case .waiting(.window) = state, work.terms.window != former.window {
            enter(.queued, at: now)
        }
        updated = now
    }

    mutating func obeyAtOnce(_ wish: Wish, at now: Instant) {
        switch wish {
        case .pause: if !state.isFinal { enter(.paused, at: now) }
        case .cancel(let keepingPart):
            work.change { $0.settleResidue(as: keepingPart ? .kept : .owed) }
            enter(.cancelled, at: now)
        case .reload: break
        }
        if wish != .reload { claim = nil }
    }

    /// Enters a state. The callers decide which transitions are allowed.
    mutating func enter(_ next: TransferState, at now: Instant) {
        state = next
        updated = now
        finished = next.isFinal ? now : nil
        ledger.left = nil
        // To continue for the queue it has to be requested again. A failed one keeps this: no one who waits for the queue has
        // seen the failure yet.
        if next == .paused || next.isFinal && !next.isFailed { isForQueue = false }
        // A transfer in a state without exit waits for no other.
        if next == .completed || next == .cancelled {
            dependencies = []
            work.dropSecrets()
        }
        if next == .completed { latestFailure = nil }
    }
}

extension Wish {
    fileprivate var verb: String {
        switch self {
        case .pause: "pause"
        case .cancel: "cancel"
        case .reload: "reload"
        }
    }
}
