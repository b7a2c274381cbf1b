extension Settlement {
    /// What becomes of a transfer whose attempt came to `outcome`.
    ///
    /// Only an attempt that failed by itself counts: one that was stopped, that met a condition, or that died with its
    /// process, does not. An
    /// attempt that passed the transfer's former best by a real amount counts as the first again.
    public init(
        of transfer: Transfer,
        after outcome: AttemptOutcome,
        progress: WorkProgress,
        keepsHold: Bool,
        at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        let received = progress.received
        let madeProgress = progress.isRealProgress(past: transfer.ledger.bestReceived)
        // What its process did not live to tell is no failure of the server's.
        let attempts = max(0, transfer.attempts - transfer.ledger.deaths)
        var ledger = transfer.ledger
        ledger.bestReceived = max(ledger.bestReceived, received)
        let uncounted = madeProgress ? 0 : max(0, attempts - 1)
        switch outcome {
        case .completed:
            self.init(.completed, progress: progress)
        case .released where !transfer.work.isInterruptible:
            // What was written is in the hands of a reader who will not come back to another process.
            let failure = TransferFailure.streamStopped
            self.init(.failed(failure), progress: progress, failure: failure)
        case .released:
            self.init(.queued, progress: progress, attempts: uncounted, keepsHold: keepsHold)
        case .cancelled:
            self.init(.cancelled, progress: progress)
        case .failed(var problem):
            problem.failure = problem.failure.naming(transfer.id)
            let attempt = madeProgress ? 1 : attempts
            if problem.isUnknownHost { ledger.unknownHosts += 1 }
            var tried = transfer
            tried.work.progress = progress
            tried.ledger = ledger
            var state = tried.retryPolicy.state(after: problem, attempt: attempt, at: now, using: &random)
            if case .failed(let failure) = state {
                state = .failed(failure.concluding(tried, received: received))
            }
            if case .waiting(.diskSpace(let needed)) = state {
                // The write that failed was for a piece; with room for no more than that it would soon fail again.
                let missing = progress.total.map { $0 - received } ?? 0
                state = .waiting(.diskSpace(needed: max(needed, missing)))
            }
            let waitsForAnEvent =
                switch state {
                case .waiting(.retry): false
                case .waiting: true
                default: false
                }
            self.init(
                state,
                progress: progress,
                failure: problem.failure,
                attempts: waitsForAnEvent ? max(0, attempt - 1) : attempt,
                keepsHold: keepsHold
            )
        }
        self.ledger = ledger
    }
}

extension TransferFailure {
    /// How a download to a stream ends when somebody asks for a pause.
    public static let streamStopped = TransferFailure(
        .streamStopped,
        "The download to a stream was stopped; it cannot be resumed.",
        hint: streamHint
    )

    /// What to do about a download to a stream that cannot be resumed.
    package static let streamHint =
        "Repeat the `ferry get` line to start over; with -o FILE it can be resumed."
}
