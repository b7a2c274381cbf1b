/// The kinds of connections over which bytes came, including the redirects before them. Some kinds are accepted only
/// with an option, and that may be known later than the bytes.
package struct RedirectTrail: OptionSet, Hashable, Sendable, Codable {
    /// The bits.
    package let rawValue: Int

    /// Creates a trail from its bits.
    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// A server was asked over TLS, so that the trusted certificates matter.
    package static let encrypted = RedirectTrail(rawValue: 1)
    /// A redirect led from https to http.
    package static let downgraded = RedirectTrail(rawValue: 2)

    /// Creates the trail through URLs, each of which redirected to the next one.
    package init(through urls: [HTTPURL]) {
        self = []
        if urls.contains(where: { $0.scheme == .https }) { insert(.encrypted) }
        for (from, to) in zip(urls, urls.dropFirst()) where from.scheme == .https && to.scheme == .http {
            insert(.downgraded)
        }
    }
}
