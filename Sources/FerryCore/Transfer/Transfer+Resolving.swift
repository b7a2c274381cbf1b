extension Transfer {
    /// Settles what became of a request of unknown outcome: `failed` → `completed`, or as ``requeue(holder:token:at:)``.
    package mutating func resolve(
        _ outcome: RequestOutcome,
        at now: Instant
    ) throws(StoreError) {
        guard case .failed(let failure) = state, failure.code == .outcomeUnknown,
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
}
