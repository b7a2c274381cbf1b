import FerryCore
import HTTPTypes

/// The cookies of one exchange: those that its requests carry, and those that its answers set.
struct ExchangeCookies: Sendable {
    private let session: SessionCookies
    private let clock: any WallClock
    /// Whether the first origin gets a `Cookie` field of the user's, and no other cookie.
    private let areGiven: Bool

    /// - Parameters:
    ///   - url: the first URL.
    ///   - isHome: whether the fields of the terms are for its origin.
    init(_ terms: ExchangeTerms, to url: HTTPURL, isHome: Bool, _ seams: EngineSeams) {
        let given = isHome ? terms.headers.first(where: \.isCookie)?.value : nil
        clock = seams.clock
        areGiven = given != nil && !terms.hasLoadedCookies
        if let given, !areGiven, seams.cookies?.isLoaded != true {
            // The transfer has them from a file that this process did not load.
            session = SessionCookies(given, for: url, at: seams.clock.now)
        } else {
            // Without a session of the engine, cookies live as long as the redirects: some servers redirect to the same URL until
            // they get the cookie that they have set.
            session = seams.cookies ?? SessionCookies()
        }
    }

    /// Adds the cookies for a URL to the fields of its request.
    ///
    /// - Parameter isFirstOrigin: whether only the first origin was asked so far.
    func add(to fields: inout HTTPFields, for url: HTTPURL, isFirstOrigin: Bool) {
        guard !areGiven || !isFirstOrigin, let value = session.field(for: url, at: clock.now) else { return }
        // Not by a subscript, which makes a field of each cookie (RFC 6265 §5.4 allows one field).
        fields.append(HTTPField(name: .cookie, value: value))
    }

    /// Keeps what an answer of `url` sets.
    ///
    /// - Returns: whether a repeated request may have another answer because of that.
    func take(_ head: ResponseHead, from url: HTTPURL, isFirstOrigin: Bool) -> Bool {
        let isChanged = session.take(head, from: url, at: clock.now)
        return isChanged && (!areGiven || !isFirstOrigin)
    }
}
