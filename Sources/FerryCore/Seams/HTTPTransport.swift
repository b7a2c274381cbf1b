package import HTTPTypes

/// Carries HTTP requests to servers and responses back.
///
/// An implementation follows no redirect, decodes no content coding, retries nothing and adds no field that HTTP
/// itself does not need. Its caller decides all of that.
package protocol HTTPTransport: Sendable {
    /// Sends a request and passes the response to `handle` as soon as its head has arrived. An implementation may await a
    /// short body for some milliseconds first.
    ///
    /// Back-pressure on the connection holds the body until `handle` asks for it. If `handle` returns before taking all
    /// of it, a short rest is read and dropped, and a longer one closes the connection. The body of the request is sent
    /// to its end first. If `handle` throws or the task is cancelled, the connection is closed.
    ///
    /// - Throws: ``Problem``, classified, for every failure on the way, even after `handle` has returned: if the body of
    ///   the request was cut short, its answer is no success. Also what `handle` throws, and `CancellationError` when
    ///   the task is cancelled.
    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result

    /// Closes idle connections and frees the transport's resources. No request may follow.
    func shutdown() async
}

/// A complete request.
package struct TransportRequest: Sendable {
    /// The method.
    package var method: HTTPRequest.Method
    /// The target; its userinfo and fragment are never sent.
    package var url: HTTPURL
    /// The fields, including `Authorization`.
    package var headers: HTTPFields
    /// The body.
    package var body: RequestBody
    /// How the connection is made.
    package var connection: ConnectionOptions
    /// Maximum speed of both bodies. The body of the request is slowed down, and so is that of the response if it is
    /// received into a sink. Other bodies of responses count, but are small.
    package var pace: Pace
    /// Gets reports about the progress of the request; `nil` if they are not needed.
    package var listener: (any ExchangeListener)?
    /// Whether it has the same effect when it arrives twice (RFC 9110 §9.2.2). Only then it uses a connection that its server
    /// may close at that moment, and is sent once more when that happens. The method decides, unless the caller knows better:
    /// a server that knows the key of a `POST` acts on it once. A change with a condition breaks its own condition.
    package var isRepeatable: Bool {
        get { givenRepeatability ?? (method.isIdempotent && (method.isSafe || !hasCondition)) }
        set { givenRepeatability = newValue }
    }
    private var givenRepeatability: Bool?

    /// Whether it is refused unless the server has the version that its header fields describe (RFC 9110 §13.1).
    private var hasCondition: Bool {
        headers[.ifMatch] != nil || headers[.ifNoneMatch] != nil || headers[.ifUnmodifiedSince] != nil
    }

    /// Creates a request.
    ///
    /// - Parameter isRepeatable: whether it may arrive twice; `nil` if its method decides.
    package init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        headers: HTTPFields,
        body: RequestBody = .bytes([]),
        connection: ConnectionOptions = ConnectionOptions(),
        pace: Pace = Pace(),
        listener: (any ExchangeListener)? = nil,
        isRepeatable: Bool? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connection = connection
        self.pace = pace
        self.listener = listener
        givenRepeatability = isRepeatable
    }
}

/// The body of a response, held back until it is asked for.
package protocol ResponseBody: Sendable {
    /// Writes the body to `sink`, from `offset` on, and returns the number of bytes.
    ///
    /// At most `limit` bytes are accepted; one more is a problem (`badResponse`) and is not written. When `bound` is
    /// shortened, the body is taken up to there and the rest is discarded. `progress` is called after each write has
    /// returned, with the offset after the last byte written. It is called on an I/O thread, in order, and must be
    /// quick.
    ///
    /// - Throws: ``Problem`` when the connection breaks, or the body ends early or stalls; ``StorageProblem`` when
    ///   the sink fails.
    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64

    /// Collects a small body in memory, such as the text of an error. Drops bytes past `bound`.
    func collect(upTo bound: Int) async throws -> [UInt8]

    /// Takes the body if all of it has arrived without a rate limit, and has at most `bound` bytes. Otherwise the body stays
    /// as it is, to be received or collected.
    func takeWhole(upTo bound: Int) -> [UInt8]?
}

extension ResponseBody {
    /// The body is received or collected.
    package func takeWhole(upTo bound: Int) -> [UInt8]? { nil }

    /// Writes the body to `sink` without a bound.
    package func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64 {
        try await receive(
            into: sink,
            at: offset,
            limit: limit,
            bound: NoBound(),
            progress: progress
        )
    }
}
