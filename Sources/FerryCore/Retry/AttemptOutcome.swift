/// How an attempt that runs is asked to end.
public enum AttemptEnding: Hashable, Sendable {
    /// Keep what is there, make it durable, and let go. Whether the transfer is paused then, or run again, is for those who
    /// settle the attempt.
    case release
    /// The transfer is over.
    case cancel(keepingPart: Bool)
}

/// What an attempt came to.
public enum AttemptOutcome: Hashable, Sendable {
    /// All of the work is done.
    case completed
    /// It let go, as it was asked to.
    case released
    /// The user ended it.
    case cancelled
    /// Something went wrong.
    case failed(Problem)

    /// What an attempt comes to that ended as it was asked to.
    package init(_ ending: AttemptEnding) {
        switch ending {
        case .release: self = .released
        case .cancel: self = .cancelled
        }
    }
}
