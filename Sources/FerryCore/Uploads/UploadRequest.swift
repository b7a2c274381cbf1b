package import HTTPTypes

/// The request of a step.
package struct UploadRequest: Hashable, Sendable {
    /// The body of a request.
    package enum Body: Hashable, Sendable {
        /// Bytes that the protocol made, such as a list of parts.
        case bytes([UInt8])
        /// A range of the file.
        case file(Range<Int64>)
    }

    package var method: HTTPRequest.Method
    package var url: HTTPURL
    package var fields: HTTPFields
    package var body: Body
    /// Whether it has the same effect when it arrives twice, so that it is simply sent again.
    package var isRepeatable: Bool

    package init(
        _ method: HTTPRequest.Method,
        _ url: HTTPURL,
        fields: HTTPFields = [:],
        body: Body = .bytes([]),
        isRepeatable: Bool
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.isRepeatable = isRepeatable
    }
}
