/// What becomes of transfers whose owner is gone. A transfer may be what kills the process that runs it.
extension Transfer {
    /// After how many deaths in a row a transfer is run alone, so that it takes no other one along.
    public static let deathsInCompany = 2
    /// After how many deaths in a row a transfer has failed, if it was the only one that ran at the last of them.
    public static let mostDeaths = 6

    /// Whether it may be what kills the process that runs it, so that nothing else is begun beside it.
    public var isSuspect: Bool { ledger.deaths >= Self.deathsInCompany }

    /// How long nothing else is begun beside this suspect: longer with each death, so that one is found out as well that kills
    /// late.
    public var probation: Duration {
        let doublings = min(max(0, 2 * (ledger.deaths - Self.deathsInCompany)), 8)
        return .seconds(10) * (1 << doublings)
    }

    /// The owner is gone: `active` → `queued`; or `failed` when it has outlived ``mostDeaths`` of them and was run alone.
    /// A wish that was not yet obeyed takes effect.
    ///
    /// - Parameters:
    ///   - end: how the owner came to its end; only a death counts against the transfer.
    ///   - isAlone: whether the owner was running nothing else.
    public mutating func lostOwner(_ end: OwnerEnd, isAlone: Bool, at now: Instant) {
        claim = nil
        if state == .active {
            work.lostProcess()
            var next = TransferState.queued
            switch end {
            case .died: next = noteDeath(isAlone: isAlone)
            // It was no try.
            case .left, .rebooted: attempts = max(0, attempts - 1)
            }
            if let failure = work.failureAfterDeath {
                next = .failed(failure.concluding(self, received: 0))
                // A pause must not hide that it may have arrived.
                if wish?.isCancel != true { wish = nil }
            }
            // Whoever wants it paused or ended does not care for what it would come to.
            enter(wish == nil || wish == .reload ? next : .queued, at: now)
        }
        if let wish { obeyAtOnce(wish, at: now) }
        wish = nil
    }

    /// A person says that the owner is gone, and wants the transfer to go on: as ``lostOwner(_:isAlone:at:)`` after a death,
    /// and a pause or a cancel that was not yet obeyed is taken back.
    public mutating func takenOver(at now: Instant) {
        takeBackWish()
        lostOwner(.died, isAlone: false, at: now)
    }

    /// An attempt ended with its process. One that made real progress has shown that it does not kill whoever runs it, and
    /// what comes in small pieces between deaths adds up.
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
        // What was dropped in between, to start over, is progress once it has come again.
        ledger.receivedAtDeath = min(ledger.receivedAtDeath, received)
        ledger.deaths += 1
        guard ledger.deaths >= Self.mostDeaths, isAlone, work.isInterruptible else { return .queued }
        let failure = TransferFailure(
            .attemptsExhausted,
            "Gave up: its process died in each of the last \(ledger.deaths) attempts."
        )
        return .failed(failure.concluding(self, received: received))
    }
}
