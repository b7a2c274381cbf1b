package import Ferry

/// A signed URL, and what must be known to use it.
package struct SignedURL: Sendable {
    /// The URL. Anyone who has it can use it.
    package let url: HTTPURL
    /// The method that it is valid for.
    let method: String
    /// The object.
    let name: ObjectName
    /// The header fields that the request must carry.
    package let headers: [HeaderField]
    /// The moment after which it is refused.
    package let expiration: Instant
    /// Whether it is refused earlier than was asked for, because the credentials expire.
    package let isShortened: Bool

    /// The whole URL, for the user who asked for it.
    package var text: String { url.absoluteString }

    /// The URL as JSON.
    package var json: JSON {
        [
            "method": .string(method), "name": .string(name.description), "url": .string(text),
            "expires": .string(SystemTime.timestamp(expiration)),
            "headers": .array(headers.map { ["name": .string($0.name), "value": .string($0.value)] }),
        ]
    }
}
