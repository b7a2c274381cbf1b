/// A change to the request of a transfer; `nil` leaves a field as it is.
public struct TransferEdit: Hashable, Sendable {
    /// Use this fresh URL of the same resource.
    public var url: HTTPURL?
    /// Another queue. A running attempt continues. It counts in the new queue at once, and obeys that queue's limits
    /// from the next attempt on.
    public var queue: String?
    /// Another priority.
    public var priority: Int?
    /// The transfers that must complete first. Replaces those named before; empty for none. Refused while the transfer runs, or if it
    /// takes values from others.
    public var after: [TransferID]?
    /// Another number of retries.
    public var retries: Int?
    /// Another rate limit; a running attempt obeys it at once.
    public var rateLimit: RateLimit?
    /// Another time window; ``TimeWindow/always`` removes it. A running attempt continues while the new window is
    /// open.
    public var window: TimeWindow?
    /// Another deadline. A transfer that has failed at its former one can be retried then.
    public var notAfter: Instant?
    /// Whether it may run while its application is in the background. A running attempt ends, and the next one obeys
    /// the change.
    public var runsInBackground: Bool?
    /// Other credentials.
    public var credentials: Credentials?
    /// Other header fields, which replace all earlier ones.
    public var headers: [HeaderField]?
    /// Other options, which replace all earlier ones; the fields above are then applied to them. A transfer of another
    /// kind refuses the edit.
    public var options: WorkOptions?

    /// An edit that changes nothing yet.
    public init() {}
}
