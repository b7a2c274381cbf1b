extension Settlement {
    /// Creates the settlement of a transfer whose attempt ended with `outcome`.
    ///
    /// Only an attempt that failed by itself counts. One that was stopped, met a condition or died with its process
    /// does not. If an attempt received a real amount more than the transfer's former best, the count starts again with
    /// this attempt.
    package init(
        of transfer: Transfer,
        after outcome: AttemptOutcome,
        progress: WorkProgress,
        keepsHold: Bool,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        let received = progress.received
        let madeProgress = progress.isRealProgress(past: transfer.ledger.bestReceived)
        // Attempts that died with their process are no failure of the server.
        let attempts = max(0, transfer.attempts - transfer.ledger.deaths)
        var ledger = transfer.ledger
        ledger.bestReceived = max(ledger.bestReceived, received)
        let uncounted = madeProgress ? 0 : max(0, attempts - 1)
        switch outcome {
        case .completed:
            self.init(.completed, progress: progress)
        case .released:
            if let failure = transfer.work.failureWhenStopped {
                self.init(.failed(failure), progress: progress, failure: failure)
            } else {
                self.init(.queued, progress: progress, attempts: uncounted, keepsHold: keepsHold)
            }
        case .cancelled:
            self.init(.cancelled, progress: progress)
        case .failed(var problem):
            let attempt = madeProgress ? 1 : attempts
            if problem.isUnknownHost { ledger.unknownHosts += 1 }
            var tried = transfer
            tried.work.progress = progress
            tried.ledger = ledger
            problem.failure = tried.work.value.withPossibleRemedies(problem.failure)
            var state = tried.retryPolicy.state(after: problem, attempt: attempt, at: now, using: &random)
            if case .failed(let failure) = state { state = .failed(tried.work.withRemedies(failure)) }
            if case .waiting(.diskSpace(let needed)) = state {
                // The failed write was for one piece. With room for no more than that, the next write would fail.
                let missing = progress.total.map { $0 - received } ?? 0
                state = .waiting(.diskSpace(needed: max(needed, missing)))
            }
            let isUncounted =
                switch state {
                case .waiting(.retry): false
                case .waiting, .queued: true
                default: false
                }
            self.init(
                state,
                progress: progress,
                failure: problem.failure,
                attempts: isUncounted ? max(0, attempt - 1) : attempt,
                keepsHold: keepsHold
            )
        }
        self.ledger = ledger
    }
}
