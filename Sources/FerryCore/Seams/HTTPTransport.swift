public import HTTPTypes

/// Carries HTTP requests to servers and responses back.
///
/// An implementation follows no redirect, decodes no content coding, retries nothing and adds no field beyond
/// what HTTP itself needs: all of that is decided above it.
public protocol HTTPTransport: Sendable {
    /// Sends a request and hands over the response as soon as its head is there.
    ///
    /// The body is held back, by back-pressure on the connection, until `handle` asks for it. When `handle`
    /// returns or throws without having taken all of it, or the task is cancelled, the connection is closed.
    ///
    /// - Throws: ``Problem`` for everything that can go wrong on the way, classified; what `handle` throws;
    ///   `CancellationError` when the task is cancelled.
    func withResponse<Result: Sendable>(
        to request: TransportRequest,
        _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
    ) async throws -> Result

    /// Closes idle connections and frees what the transport holds. No request may follow.
    func shutdown() async
}

/// One request, whole.
public struct TransportRequest: Hashable, Sendable {
    /// The method.
    public var method: HTTPRequest.Method
    /// Where it goes; its userinfo and fragment are never sent.
    public var url: HTTPURL
    /// The fields, `Authorization` included.
    public var headers: HTTPFields
    /// The body; a request without one has none.
    public var body: [UInt8]
    /// How the connection is made.
    public var connection: ConnectionOptions
    /// How fast the body of the response may come. Only a body that is received into a sink is held back; any other
    /// counts, but is small.
    public var pace: Pace
    /// Where it is noted that something of the request may have left; `nil` where no one asks.
    public var departure: Departure?

    /// Creates a request.
    public init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        headers: HTTPFields,
        body: [UInt8] = [],
        connection: ConnectionOptions = ConnectionOptions(),
        pace: Pace = Pace(),
        departure: Departure? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.connection = connection
        self.pace = pace
        self.departure = departure
    }
}

/// The body of a response that is held back until it is asked for.
public protocol ResponseBody: Sendable {
    /// Writes the body to `sink`, from `offset` on, and returns how many bytes there were.
    ///
    /// At most `limit` bytes are accepted; one more is a problem (`badResponse`) and is not written. When `bound`
    /// is shortened, the body is taken up to there and the rest is let go.
    /// `progress` is called after each write has returned, with the offset behind the last byte written. It is
    /// called on a thread for I/O, in order, and must be quick.
    ///
    /// - Throws: ``Problem`` when the connection breaks, the body ends early or stalls; ``StorageProblem`` when
    ///   the sink fails.
    func receive(
        into sink: any ByteSink,
        at offset: Int64,
        limit: Int64?,
        bound: any BodyBound,
        progress: @escaping @Sendable (Int64) -> Void
    ) async throws -> Int64

    /// Collects a small body in memory, such as the text of an error; bytes past `bound` are dropped.
    func collect(upTo bound: Int) async throws -> [UInt8]
}

extension ResponseBody {
    /// Writes the body to `sink`, as far as it goes.
    public func receive(
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
