/// What happens to transfers whose owner is gone. A transfer may kill the process that runs it.
extension Transfer {
    /// Number of deaths in a row after which a transfer is run alone, so that its death affects no other transfer.
    package static let deathsInCompany = 2
    /// Number of deaths in a row after which a transfer fails, if it ran alone at the last death.
    package static let mostDeaths = 6

    /// Whether it may be killing the processes that run it. No other transfer is then started beside it.
    package var isSuspect: Bool { ledger.deaths >= Self.deathsInCompany }

    /// Whether it waits in its queue because its process died in the latest attempt.
    ///
    /// A death after real progress is not counted, and notes how far the transfer was.
    package var hasLostItsProcess: Bool {
        guard state == .queued else { return false }
        let wasAt = ledger.receivedAtDeath
        return ledger.deaths > 0 || wasAt > 0 && wasAt == work.progress.received
    }

    /// The time in which no other transfer is started beside this suspect. It grows with each death, to find a transfer
    /// that kills its process late.
    package var probation: Duration {
        let doublings = min(max(0, 2 * (ledger.deaths - Self.deathsInCompany)), 8)
        return .seconds(10) * (1 << doublings)
    }

    /// The owner is gone: `active` → `queued`, or `failed` after ``mostDeaths`` deaths when it ran alone. A wish that
    /// was not yet obeyed takes effect.
    ///
    /// - Parameters:
    ///   - end: how the owner ended; only a death counts against the transfer.
    ///   - isAlone: whether the owner was running nothing else.
    package mutating func lostOwner(_ end: OwnerEnd, isAlone: Bool, at now: Instant) {
        claim = nil
        if state == .active {
            work.change { $0.lostProcess() }
            var next = TransferState.queued
            switch end {
            case .died: next = noteDeath(isAlone: isAlone)
            // This does not count as an attempt.
            case .left, .rebooted: attempts = max(0, attempts - 1)
            }
            if let failure = work.failureAfterDeath {
                next = .failed(work.withRemedies(failure))
                // A pause must not hide that the request may have arrived.
                if wish?.isCancel != true { wish = nil }
            }
            // A wish for a pause or an end comes before the outcome.
            enter(wish == nil || wish == .reload ? next : .queued, at: now)
        }
        if let wish { obeyAtOnce(wish, at: now) }
        wish = nil
    }

    /// A person declares the owner gone and wants the transfer to continue. Acts as ``lostOwner(_:isAlone:at:)``
    /// after a death, and withdraws a pause or a cancellation that was not yet obeyed.
    package mutating func takenOver(at now: Instant) {
        takeBackWish()
        lostOwner(.died, isAlone: false, at: now)
    }

    /// Counts an attempt that died with its process. Real progress proves that the transfer does not kill its
    /// process. Small pieces of progress between deaths add up.
    private mutating func noteDeath(isAlone: Bool) -> TransferState {
        let progress = work.progress
        let received = progress.received
        if progress.isRealProgress(past: ledger.bestReceived) {
            attempts = 0
            ledger.bestReceived = received
        }
        if progress.isRealProgress(past: ledger.receivedAtDeath) {
            ledger.deaths = 0
            ledger.receivedAtDeath = received
            return .queued
        }
        // If bytes were dropped to start over, receiving them again counts as progress.
        ledger.receivedAtDeath = min(ledger.receivedAtDeath, received)
        ledger.deaths += 1
        guard ledger.deaths >= Self.mostDeaths, isAlone, work.isInterruptible else { return .queued }
        let failure = TransferFailure(
            .attemptsExhausted,
            "Gave up: its process died in each of the last \(ledger.deaths) attempts."
        )
        return .failed(work.withRemedies(failure))
    }
}
