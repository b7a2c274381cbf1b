/// What a transfer that cannot continue now waits for.
///
/// A condition is never final. A transfer that can continue later waits, with the reason shown. Only a transfer that
/// can never work fails (I10).
public enum WaitCondition: Hashable, Sendable, Codable {
    /// A failed attempt is retried at this moment. Ends at that moment.
    case retry(at: Instant)
    /// No usable route to the host. Ends when a route is back.
    case network
    /// Other transfers must complete first: ``Transfer/dependencies``. Ends when all are completed; the transfer
    /// fails when one of them cannot complete.
    case dependency
    /// The application is in the background. Ends when the application reports that it is active again.
    case applicationInactive
    /// The file system is full. Ends when this many bytes are free.
    case diskSpace(needed: Int64)
    /// The file system with its part file or with a file that it sends, or for the file of a transfer that has not begun, is not
    /// mounted, or is read-only. Ends when it is mounted again, or is writable.
    case diskMount
    /// The signed URL has expired. Ends when a fresh URL is given.
    case newURL
    /// Outside its time window. Ends when the window opens.
    case window(opens: Instant)

    /// The moment at which this condition ends by itself; `nil` when it needs an event.
    public var wakeTime: Instant? {
        switch self {
        case .retry(let moment), .window(let moment): moment
        case .network, .dependency, .applicationInactive, .diskSpace, .diskMount, .newURL: nil
        }
    }

    /// How far in the future a retry may be so that it is still believed: twice the longest wait that Ferry sets, to
    /// allow for a clock that is a little slow.
    ///
    /// A retry further ahead was set while the clock was wrong. Waiting for it could take years.
    package static let farthestRetry: Duration = RetryAfter.longest * 2

    /// The same bound for a window's opening.
    package static let farthestOpening: Duration = TimeWindow.horizon * 2

    /// How far ahead of now a retry may have been noted.
    ///
    /// When the clock goes back, a wait until a moment becomes longer than intended. Up to this much is accepted; a
    /// wait that would be longer ends at once.
    package static let longestDelay: Duration = .seconds(60)

    /// Whether this condition, noted at `noted`, has ended by itself at `now`.
    package func hasEnded(at now: Instant, noted: Instant) -> Bool {
        switch self {
        case .retry(let moment):
            moment <= now || moment > now.advanced(by: Self.farthestRetry)
                || noted > now.advanced(by: Self.longestDelay)
        case .window(let opens): opens <= now || opens > now.advanced(by: Self.farthestOpening)
        case .network, .dependency, .applicationInactive, .diskSpace, .diskMount, .newURL: false
        }
    }
}
