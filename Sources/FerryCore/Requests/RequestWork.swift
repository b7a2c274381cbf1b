/// A request: what is to be sent, and what became of it.
public struct RequestWork: Hashable, Sendable {
    /// What is to be sent.
    public var specification: RequestSpecification
    /// What became of it.
    public var progress = RequestProgress()

    /// Creates a request that was never sent.
    public init(_ specification: RequestSpecification) {
        self.specification = specification
    }

    /// A request of which something is known.
    package init(_ specification: RequestSpecification, _ progress: RequestProgress) {
        self.specification = specification
        self.progress = progress
    }

    /// Whether it may have arrived, no one knows, and it must not be sent again for that reason (I8).
    package var outcomeIsUnknown: Bool {
        progress.sent != nil && !specification.isRepeatable
    }
}

/// What became of a request.
public struct RequestProgress: Hashable, Sendable, Codable {
    /// When it was last sent, as far as that may have had an effect. It is recorded before the first byte may leave, and taken
    /// back when nothing has left, or when the server says that it did not act.
    public var sent: Instant?
    /// The latest answer.
    public var response: StoredResponse?

    /// Nothing was sent.
    public init() {}
}

/// The response to a request, as it is kept.
public struct StoredResponse: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The fields, in the order in which they came.
    public var fields: [DownloadOptions.HeaderField]
    /// The body, as far as it is kept.
    public var body: [UInt8]
    /// Whether the body was longer than what is kept.
    public var isTruncated: Bool

    /// Creates a response.
    public init(status: Int, fields: [DownloadOptions.HeaderField], body: [UInt8], isTruncated: Bool = false)
    {
        self.status = status
        self.fields = fields
        self.body = body
        self.isTruncated = isTruncated
    }
}

extension TransferFailure {
    /// A request may have arrived, and must not be repeated by itself.
    package static func outcomeUnknown(at url: HTTPURL) -> TransferFailure {
        TransferFailure(
            .outcomeUnknown,
            "It is unknown whether the request has arrived at \(url.host): it was sent, and no answer came."
        )
    }
}
