/// A transfer that is requested once more.
extension Transfer {
    /// What this transfer is to a second caller.
    package enum Reunion: Hashable, Sendable {
        /// It had failed, and is queued again.
        case revived
        /// It is unfinished.
        case attached
    }

    /// Takes up a second request for the same work.
    ///
    /// - A transfer that runs continues; a request to stop it is withdrawn.
    /// - Any other gets the queue and the priority of the new request, unless these are the defaults. It starts after
    ///   all transfers that either request named.
    /// - ``Work/meeting(_:as:)`` decides what changes in the work itself. The rate limit and the time window that the
    ///   new request names count in any state: a running attempt obeys them at once. What had failed is
    ///   retried at least as often as the new request asks for, also if that is the default.
    /// - A failed or paused transfer is queued again. So is any other that no owner holds, if `holder` is to run it.
    ///   A request that is to be recorded paused (``NewTransfer/isPaused``) resumes nothing that is stopped.
    ///
    /// Without a `holder` the transfer belongs to the queue from now on: it is run even if the process that holds it
    /// now stops.
    ///
    /// - Throws: ``StoreError/notPossible(_:_:_:)`` on a completed or cancelled transfer, and on one that cannot serve
    ///   the new request.
    package mutating func meet(
        _ new: NewTransfer,
        holder: OwnerID?,
        token: Int64,
        at now: Instant
    ) throws(StoreError) -> Reunion {
        try requireOwnOutput(for: new.work, holder)
        let meeting = try meeting(new.work)
        if takeLabels(of: new) { updated = now }
        if let type = new.type, type != self.type { (self.type, updated) = (type, now) }
        if holder == nil, !isForQueue, !new.isPaused { (isForQueue, updated) = (true, now) }
        guard state != .active else {
            takeURL(of: new.work, at: now)
            if !new.isPaused {
                if wish?.makesRoom == true { updated = now }
                takeBackWish()
            }
            try takeLimits(of: new, at: now)
            return .attached
        }
        takePlace(of: new, at: now)
        guard claim == nil else {
            takeURL(of: new.work, at: now)
            try takeLimits(of: new, at: now)
            comeAfter(new.after, at: now)
            return .attached
        }
        if replaceWork(by: new.work, at: now), case .waiting(.window) = state { enter(.queued, at: now) }
        let isFailed = state.isFailed
        if meeting.dropsBytes {
            work.change { $0.dropBytes() }
            updated = now
        }
        let edit = adding(limitsOf: new, to: meeting.edit)
        if edit != TransferEdit() { try apply(edit, at: now) }
        if meeting.takesSaved, work.takeSaved(of: new.work) { updated = now }
        comeAfter(new.after, at: now)
        let isStopped = isFailed || state == .paused
        if isStopped ? !new.isPaused : holder != nil {
            try requeue(holder: holder, token: token, at: now)
        }
        return isFailed && !new.isPaused ? .revived : .attached
    }

    /// Takes over the tag and the payload, in any state, so that the latest caller finds the transfer. They do not
    /// change its work.
    ///
    /// - Returns: whether the tag or the payload has changed.
    package mutating func takeLabels(of new: NewTransfer) -> Bool {
        let (tag, payload) = (new.tag ?? tag, new.payload ?? payload)
        guard tag != self.tag || payload != self.payload else { return false }
        (self.tag, self.payload) = (tag, payload)
        return true
    }

    /// Who relies on it.
    package var reliance: SharedOption.Reliance {
        if claim != nil { return .held }
        switch state {
        case .queued, .active, .waiting: return .pending
        case .paused, .failed, .cancelled: return .dropped
        case .completed: return .completed
        }
    }

    /// Combines the requests of both callers.
    private func meeting(_ asked: Work) throws(StoreError) -> WorkMeeting {
        let meeting: WorkMeeting?
        do {
            meeting = try work.meeting(asked, as: reliance)
        } catch {
            let does = reliance == .held ? "already runs" : "is to run"
            throw .notPossible(
                id,
                "Transfer \(id) \(does) \(error.reason), and keeps that.",
                [.pause, .callAgain]
            )
        }
        guard let meeting else { throw .notPossible(id, "Transfer \(id) cannot be shared.") }
        return meeting
    }

    /// Throws if only the process that holds it can do the requested work.
    private func requireOwnOutput(for asked: Work, _ holder: OwnerID?) throws(StoreError) {
        guard let owner = claim?.owner, owner != holder, let refusal = asked.value.refusalToShare(id) else {
            return
        }
        throw refusal
    }

    /// Becomes the work that was requested last, if only that one counts.
    private mutating func replaceWork(by asked: Work, at now: Instant) -> Bool {
        guard work.change({ $0.replace(by: asked.value) }) else { return false }
        updated = now
        return true
    }

    /// The edit, which also gives it the limits of the new request, unless it never runs again.
    private func adding(limitsOf new: NewTransfer, to edit: TransferEdit) -> TransferEdit {
        var edit = edit
        guard !state.name.isOver else { return edit }
        if let limit = new.namedRateLimit, limit != work.terms.rateLimit { edit.rateLimit = limit }
        if let window = new.namedWindow, window != work.terms.window { edit.window = window }
        // The earlier command that wanted fewer retries has had its failure.
        let asked = new.work.terms.retries
        if state.isFailed, asked > work.terms.retries { edit.retries = asked }
        return edit
    }

    /// Takes over the limits that the new request names for a transfer that a process holds. One that is being cancelled
    /// keeps its own.
    private mutating func takeLimits(of new: NewTransfer, at now: Instant) throws(StoreError) {
        let edit = adding(limitsOf: new, to: TransferEdit())
        guard edit != TransferEdit(), wish?.isCancel != true else { return }
        try apply(edit, at: now)
    }

    private mutating func takePlace(of new: NewTransfer, at now: Instant) {
        if new.queue != NewTransfer.defaultQueue, new.queue != queue { (queue, updated) = (new.queue, now) }
        if new.priority != 0, new.priority != priority { (priority, updated) = (new.priority, now) }
    }

    /// Takes the new URL: its signature is the latest that was given, whenever it expires. The former one may have been
    /// revoked. A running attempt uses it from its next request on. A transfer that waits for a URL is queued.
    private mutating func takeURL(of asked: Work, at now: Instant) {
        guard work.change({ $0.renew(url: asked.url) }) else { return }
        updated = now
        if state == .waiting(.newURL) { enter(.queued, at: now) }
    }
}

extension Addition {
    /// Creates the result for a specification that met a transfer with the same identity.
    package init(_ transfer: Transfer, _ reunion: Transfer.Reunion) {
        switch reunion {
        case .revived: self = .revived(transfer)
        case .attached: self = .attached(transfer)
        }
    }
}
