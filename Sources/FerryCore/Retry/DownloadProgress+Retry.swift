extension DownloadProgress {
    /// Whether enough bytes past `best` were received to count as progress: ``RetryPolicy/realProgress``, or all that
    /// was left.
    package func isRealProgress(past best: Int64) -> Bool {
        let received = segments.received
        return received >= best.addingSaturated(RetryPolicy.realProgress)
            || (received > best && segments.isComplete)
    }
}
