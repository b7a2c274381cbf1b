/// The state of a transfer.
///
/// ```
/// queued ──▶ active ──▶ completed | failed | cancelled
///    ▲          │
///    │          ├──▶ waiting(condition) ──▶ queued
///    └──────────┴──▶ paused ──▶ queued | waiting(condition)
/// ```
public enum TransferState: Hashable, Sendable, Codable {
    /// Ready to run; exits to `active` (claimed), `paused`, `cancelled`.
    case queued
    /// An owner is running an attempt; exits to every other state.
    case active
    /// Cannot continue until the condition ends; exits to `queued`, `active` (claimed when due), `paused`,
    /// `cancelled`, and `failed` when the condition can no longer come true.
    case waiting(WaitCondition)
    /// Stopped by a wish, or with its owner; exits to `queued` (resume), `cancelled`, and to the wait that it was in
    /// or that its dependencies require.
    case paused
    /// The file is whole, verified and under its final name. No exit (I8).
    case completed
    /// Failed, with the reason; exits to `queued` only by an explicit retry.
    case failed(TransferFailure)
    /// Ended by a wish. No exit.
    case cancelled

    /// Whether it has failed.
    package var isFailed: Bool { if case .failed = self { true } else { false } }

    /// Whether nothing more happens unless a person asks for it.
    public var isFinal: Bool { name.isFinal }
}
