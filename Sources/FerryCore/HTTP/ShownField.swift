package import HTTPTypes

/// A header field as a log may show it (I7): secrets are masked.
///
/// A field of a request is masked unless it is known to hold no secret, because applications invent fields for their
/// keys. A field of a response is shown unless it is known to hold one.
package struct ShownField: Hashable, Sendable, CustomStringConvertible {
    /// `Name: value`, with `…` in place of a secret.
    package let description: String

    private static let mask = "…"

    /// A field of a request.
    package init(sent field: HTTPField) {
        let name = field.name.canonicalName
        let isOpen = Self.openNames.contains(name) || HeaderField(name: name, value: "").isHarmless
        description = "\(field.name.rawName): \(isOpen ? field.value : Self.mask)"
    }

    /// A field of a response to a request of `url`.
    package init(received field: HTTPField, from url: HTTPURL) {
        let name = field.name.canonicalName
        var value = field.value
        if Self.secretNames.contains(name) {
            value = Self.mask
        } else if Self.urlNames.contains(name) {
            value = Self.target(field.value, from: url)
        } else if name == "link", value.contains("?") {
            value = Self.mask
        }
        description = "\(field.name.rawName): \(value)"
    }

    /// A URL reference in a response to a request of `url`, as a whole URL without its secrets.
    package static func target(_ reference: String, from url: HTTPURL) -> String {
        do {
            return try url.resolving(reference).redacted
        } catch {
            return mask
        }
    }

    private static let openNames: Set = [
        "accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect",
        "host",
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range", "te",
        "transfer-encoding", "want-content-digest", "want-repr-digest",
    ]
    private static let secretNames: Set = [
        "authentication-info", "proxy-authentication-info", "refresh", "set-cookie", "set-cookie2",
        "x-amz-security-token",
    ]
    private static let urlNames: Set = ["content-location", "location"]
}
