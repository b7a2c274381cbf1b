extension DownloadProgress: TransferWorkProgress {
    package var received: Int64 { segments.received }
    package var total: Int64? { segments.length }
    package var hasAnswer: Bool { server != nil }

    /// Whether enough bytes past `best` were received to count as progress: ``RetryPolicy/realProgress``, or all that
    /// was left.
    package func isRealProgress(past best: Int64) -> Bool {
        let received = segments.received
        return received >= best.addingSaturated(RetryPolicy.realProgress)
            || (received > best && segments.isComplete)
    }
}
