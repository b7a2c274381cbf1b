/// What the status of an answer means for a request.
///
/// | status | repeatable | not repeatable |
/// |---|---|---|
/// | 2xx, accepted | success | success |
/// | 408, 425, 429, 503, 507 | tried again | tried again: the server has not acted on it |
/// | 501, 505, 511 | refused | refused |
/// | other 5xx | tried again | unknown: it may have acted before it failed |
/// | 409 after an earlier sending with the same key | tried again: that one is in progress | — |
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

    /// The statuses with which a server says that it has not acted, and may act later: it was too slow or too busy, or has no
    /// room (RFC 9110 §15.5.9 and §15.6.4, RFC 8470, RFC 6585, RFC 4918).
    private static let statusesWithoutEffect: Set = [408, 425, 429, 503, 507]

    /// Judges a status.
    ///
    /// - Parameters:
    ///   - accepted: the statuses that count as success, in addition to 2xx.
    ///   - mayBeInProgress: whether an earlier attempt may have been sent with the same key, so that the server may still be
    ///   handling it and answers this one with 409 (draft-ietf-httpapi-idempotency-key-header §2.7). To the first attempt, 409
    ///   means a conflict with what is there.
    ///   - isRewritten: whether this answers the `GET` to which a redirect led. The request itself has then
    ///   arrived. If it may not be repeated, it is not sent again, whatever the `GET` returned.
    package init(
        _ status: Int,
        accepted: Set<Int> = [],
        isRepeatable: Bool,
        mayBeInProgress: Bool = false,
        isRewritten: Bool = false
    ) {
        switch status {
        case 200...299: self = .success
        case _ where accepted.contains(status): self = .success
        case _ where isRewritten && !isRepeatable: self = .unknown
        case _ where Self.statusesWithoutEffect.contains(status): self = .tryAgain
        case 501, 505, 511: self = .refused
        // A status that is not known counts as 500 (RFC 9110 §15).
        case 500...599: self = isRepeatable ? .tryAgain : .unknown
        case 409 where mayBeInProgress: self = .tryAgain
        default: self = .refused
        }
    }

    /// Whether the server has said that this attempt had no effect. This says nothing about earlier attempts.
    ///
    /// - Parameter isRewritten: the value that the status was judged with.
    package func deniesEffect(_ status: Int, isRewritten: Bool) -> Bool {
        switch self {
        case .success, .unknown: false
        case .tryAgain: !isRewritten && Self.statusesWithoutEffect.contains(status)
        case .refused: !isRewritten
        }
    }
}
