/// A transfer that a claim may take.
public struct ClaimCandidate: Hashable, Sendable {
    /// The queue in whose line it stands.
    public var queue: String
    /// The host that it connects to.
    public var host: String
    /// Its place in the line.
    public var place: LinePlace
    /// The moment since which it counts as waiting, in milliseconds.
    public var since: Int64

    /// The transfer's number.
    public var id: TransferID { place.id }

    /// Creates a candidate.
    public init(queue: String, host: String, place: LinePlace, since: Int64) {
        self.queue = queue
        self.host = host
        self.place = place
        self.since = since
    }
}
