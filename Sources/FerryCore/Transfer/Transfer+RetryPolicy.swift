extension Transfer {
    /// The number and the times of its attempts.
    ///
    /// A host that no attempt could resolve and that never answered is most likely misspelt. Up to
    /// ``RetryPolicy/unknownHostAttempts`` attempts are made then, unless mirrors can be asked.
    package var retryPolicy: RetryPolicy {
        var policy = RetryPolicy(retries: work.terms.retries)
        let unknown = ledger.unknownHosts
        let isMisspelt = unknown > 0 && unknown >= attempts - ledger.deaths && !work.progress.hasAnswer
        if isMisspelt, !work.hasOtherSources {
            policy.attempts = min(policy.attempts, RetryPolicy.unknownHostAttempts)
        }
        return policy
    }
}
