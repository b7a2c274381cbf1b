/// A change to what a transfer is asked to do; `nil` leaves a field as it is.
public struct TransferEdit: Hashable, Sendable {
    /// Use this fresh URL of the same resource.
    public var url: HTTPURL?
    /// Another queue. A running attempt goes on; it counts there at once, and obeys that queue's limit from the next
    /// attempt on.
    public var queue: String?
    /// Another priority.
    public var priority: Int?
    /// Another number of retries.
    public var retries: Int?
    /// Another limit of its own; a running attempt goes on under it.
    public var rateLimit: RateLimit?
    /// Another time window; ``TimeWindow/always`` takes it away. A running attempt goes on while the new one is open.
    public var window: TimeWindow?
    /// Other credentials.
    public var credentials: Credentials?
    /// Other header fields, in place of all that there were.
    public var headers: [DownloadOptions.HeaderField]?
    /// Other options, in place of all that there were; the fields above are applied to them.
    public var options: DownloadOptions?

    /// An edit that changes nothing yet.
    public init() {}
}
