/// What a response means to an application, by its own rule for the type of a request.
public enum ResponseMeaning: Hashable, Sendable, CaseIterable {
    /// The request has succeeded.
    case success
    /// The server has not acted on the request, which is sent again later. A request that may not be repeated is sent
    /// again only if its status says the same, such as 503; otherwise its outcome is unknown (I8).
    case retry
    /// The request will never be accepted, and fails.
    case refused
}

extension RequestVerdict {
    /// The verdict of an application's rule, within what may be repeated (I8).
    ///
    /// - Parameter deniesEffect: whether the status says that this attempt had no effect.
    package init(_ rule: ResponseMeaning, isRepeatable: Bool, deniesEffect: Bool) {
        switch rule {
        case .success: self = .success
        case .retry: self = isRepeatable || deniesEffect ? .tryAgain : .unknown
        case .refused: self = .refused
        }
    }
}
