/// What a transfer that cannot go on now is waiting for.
///
/// A condition is never an end: what can go on later waits, with the reason shown, and only what can never
/// work fails (I10).
public enum WaitCondition: Hashable, Sendable, Codable {
    /// A failed attempt is tried again at this moment. Ends when the time has come.
    case retry(at: Instant)
    /// No usable route to the host. Ends when a route is back.
    case network
    /// Other transfers must complete first: ``Transfer/dependencies``. Ends when all are completed, or fails with the one
    /// that did not.
    case dependency
    /// The application is in the background. Ends when it says that it is active again.
    case applicationInactive
    /// The file system is full. Ends when this many bytes are free.
    case diskSpace(needed: Int64)
    /// The signed URL has expired. Ends when a fresh URL is given.
    case newURL
    /// Outside its time window. Ends when the window opens.
    case window(opens: Instant)

    /// The moment at which this condition ends by itself; `nil` when something else has to happen.
    public var wakeTime: Instant? {
        switch self {
        case .retry(let moment), .window(let moment): moment
        case .network, .dependency, .applicationInactive, .diskSpace, .newURL: nil
        }
    }

    /// How far ahead a time to try again may lie and be believed: the longest that Ferry ever sets, and as long again
    /// for a clock that is a little behind.
    ///
    /// One further ahead was set while the clock was wrong; to wait for it would be to wait for years.
    public static let farthestRetry: Duration = RetryAfter.longest * 2

    /// The same for a window's opening.
    public static let farthestOpening: Duration = TimeWindow.horizon * 2

    /// How far ahead the moment may lie at which a wait to try again was noted.
    ///
    /// When the clock goes back, a wait until a moment becomes longer than was meant. By this much it may; one that would
    /// by more has ended.
    public static let longestDelay: Duration = .seconds(60)

    /// Whether this condition, which was noted at `noted`, has ended by itself at `now`.
    public func hasEnded(at now: Instant, noted: Instant) -> Bool {
        switch self {
        case .retry(let moment):
            moment <= now || moment > now.advanced(by: Self.farthestRetry)
                || noted > now.advanced(by: Self.longestDelay)
        case .window(let opens): opens <= now || opens > now.advanced(by: Self.farthestOpening)
        case .network, .dependency, .applicationInactive, .diskSpace, .newURL: false
        }
    }

    /// The stable name used in the store and in JSON.
    public var name: String {
        switch self {
        case .retry: "retry"
        case .network: "network"
        case .dependency: "dependency"
        case .applicationInactive: "applicationInactive"
        case .diskSpace: "diskSpace"
        case .newURL: "newURL"
        case .window: "window"
        }
    }
}
