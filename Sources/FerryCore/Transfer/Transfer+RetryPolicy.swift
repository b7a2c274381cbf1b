extension Transfer {
    /// How often it is tried, and when again.
    ///
    /// A host of which nobody has heard in any of its attempts, and which never answered, is most likely misspelt: no more
    /// than ``RetryPolicy/unknownHostAttempts`` are made, unless there are mirrors to go to.
    public var retryPolicy: RetryPolicy {
        var policy = RetryPolicy(retries: work.terms.retries)
        let unknown = ledger.unknownHosts
        let isMisspelt = unknown > 0 && unknown >= attempts - ledger.deaths && !work.progress.hasAnswer
        if isMisspelt, !work.hasOtherSources {
            policy.attempts = min(policy.attempts, RetryPolicy.unknownHostAttempts)
        }
        return policy
    }
}
