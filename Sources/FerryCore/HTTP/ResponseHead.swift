public import HTTPTypes

/// The head of a response.
public struct ResponseHead: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The fields.
    public var headers: HTTPFields
    /// The length of the body as framed by `Content-Length`; `nil` when it is chunked or ends with the connection.
    public var bodyLength: Int64?

    /// Creates a head.
    public init(status: Int, headers: HTTPFields, bodyLength: Int64?) {
        self.status = status
        self.headers = headers
        self.bodyLength = bodyLength
    }
}
