/// What the status of an answer means for a request.
///
/// | status | repeatable | not repeatable |
/// |---|---|---|
/// | 2xx, accepted | success | success |
/// | 408, 425, 429, 503 | tried again | tried again: the server has not acted on it |
/// | 500, 502, 504 | tried again | unknown: it may have acted before it failed |
/// | 409 with a key | tried again: the same request is in progress | — |
/// | other | refused | refused |
package enum RequestVerdict: Hashable, Sendable, CaseIterable {
    /// It has arrived and succeeded.
    case success
    /// It is sent again later.
    case tryAgain
    /// It may have had its effect, and is not repeated automatically (I8).
    case unknown
    /// It will never be accepted.
    case refused

    /// Judges a status.
    ///
    /// - Parameters:
    ///   - accepted: the statuses that count as success, in addition to 2xx.
    ///   - isRewritten: whether this answers the `GET` to which a redirect led. The request itself has then
    ///   arrived. If it may not be repeated, it is not sent again, whatever the `GET` returned.
    package init(
        _ status: Int,
        accepted: Set<Int> = [],
        isRepeatable: Bool,
        hasKey: Bool,
        isRewritten: Bool = false
    ) {
        switch status {
        case 200...299: self = .success
        case _ where accepted.contains(status): self = .success
        case _ where isRewritten && !isRepeatable: self = .unknown
        case 408, 425, 429, 503: self = .tryAgain
        case 500, 502, 504: self = isRepeatable ? .tryAgain : .unknown
        case 409 where hasKey: self = .tryAgain
        default: self = .refused
        }
    }

    /// Whether the server has said that this attempt had no effect. This says nothing about earlier attempts.
    ///
    /// - Parameter isRewritten: the value that the status was judged with.
    package func deniesEffect(_ status: Int, isRewritten: Bool) -> Bool {
        switch self {
        case .success, .unknown: false
        case .tryAgain: !isRewritten && [408, 425, 429, 503].contains(status)
        case .refused: !isRewritten
        }
    }
}
