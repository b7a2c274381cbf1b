extension Checkpoint {
    /// Whether so much has come past `best` that a transfer is taken to get on: ``RetryPolicy/realProgress``, or all that
    /// was left.
    public func isRealProgress(past best: Int64) -> Bool {
        let received = segments.received
        return received >= best.addingSaturated(RetryPolicy.realProgress)
            || (received > best && segments.isComplete)
    }
}
