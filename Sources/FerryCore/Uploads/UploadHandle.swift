/// What names an upload at its server.
package struct UploadHandle: Hashable, Sendable, Codable {
    /// The URL of the upload, or of the object to which it belongs. The server may have chosen another origin: requests to it
    /// carry no credentials that were given for the first one (I7).
    package var url: HTTPURL
    /// The name of the upload, where the URL is not enough; `nil` otherwise.
    package var name: String?
    /// When the server forgets it; `nil` if it does not say.
    package var expiry: Instant?
    /// The longest body of one request, in bytes; `nil` if the server does not say. A protocol sends less of a longer part.
    package var longestAppend: Int64?

    package init(
        url: HTTPURL,
        name: String? = nil,
        expiry: Instant? = nil,
        longestAppend: Int64? = nil
    ) {
        self.url = url
        self.name = name
        self.expiry = expiry
        self.longestAppend = longestAppend
    }
}
