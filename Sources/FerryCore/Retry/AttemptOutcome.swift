/// How an attempt ended, as its machine says.
package enum AttemptOutcome: Hashable, Sendable {
    /// All of the work is done.
    case completed
    /// It stopped, as requested.
    case released
    /// The user ended it.
    case cancelled
    /// Something went wrong.
    case failed(Problem)

    /// The outcome of an attempt that ended as it was asked.
    package init(_ order: StopOrder) {
        switch order {
        case .release: self = .released
        case .cancel: self = .cancelled
        }
    }
}
