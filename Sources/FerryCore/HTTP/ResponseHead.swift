package import HTTPTypes

/// The head of a response.
package struct ResponseHead: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The fields.
    package var headers: HTTPFields
    /// The length of the body as framed by `Content-Length`; `nil` when it is chunked or ends with the connection.
    package var bodyLength: Int64?

    /// Creates a head.
    package init(status: Int, headers: HTTPFields, bodyLength: Int64?) {
        self.status = status
        self.headers = headers
        self.bodyLength = bodyLength
    }
}
