/// What an engine does while its application is in the background.
///
/// Under every policy, transfers that run in the foreground only (``DownloadOptions/runsInBackground``) are checkpointed and
/// released, and do not start.
public enum BackgroundPolicy: Hashable, Sendable {
    /// Checkpoints and releases running transfers, and starts none.
    case stop
    /// Lets running transfers finish, and starts none.
    case finishActive
    /// Runs transfers as in the foreground.
    case keepRunning
}
