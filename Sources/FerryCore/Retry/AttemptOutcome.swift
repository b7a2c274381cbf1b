/// How a running attempt is asked to end.
package enum AttemptEnding: Hashable, Sendable {
    /// Keep the received bytes, make them durable, and stop. The settlement decides whether the transfer is paused or
    /// runs again.
    case release
    /// The transfer is cancelled.
    case cancel(keepingPart: Bool)
}

/// The outcome of an attempt.
package enum AttemptOutcome: Hashable, Sendable {
    /// All of the work is done.
    case completed
    /// It stopped, as requested.
    case released
    /// The user ended it.
    case cancelled
    /// Something went wrong.
    case failed(Problem)

    /// The outcome of an attempt that ended as requested.
    package init(_ ending: AttemptEnding) {
        switch ending {
        case .release: self = .released
        case .cancel: self = .cancelled
        }
    }
}
