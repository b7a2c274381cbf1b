package import HTTPTypes

/// A header field as a log may show it (I7): secrets are masked.
///
/// A field is masked unless it is known to hold no secret: applications invent fields for their keys, and servers for tokens and
/// signed URLs.
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
        let isOpen =
            Self.openNames.contains(name) || Self.openNamesOfAnswers.contains(name) || name.hasPrefix("tus-")
        let value =
            Self.urlNames.contains(name)
            ? Self.target(field.value, from: url) : isOpen ? field.value : Self.mask
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
    private static let openNamesOfAnswers: Set = [
        "accept-ranges", "age", "allow", "alt-svc", "cache-control", "content-digest", "content-disposition",
        "content-language", "content-md5", "content-range", "date", "digest", "etag", "expires", "keep-alive",
        "last-modified", "pragma", "proxy-authenticate", "repr-digest", "retry-after", "server",
        "strict-transport-security", "trailer", "upgrade", "upload-length", "upload-offset", "vary", "via",
        "www-authenticate", "x-amz-id-2", "x-amz-request-id", "x-cache", "x-oss-request-id",
    ]
    private static let urlNames: Set = ["content-location", "location"]
}
