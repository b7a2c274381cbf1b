/// A transfer that a claim may take.
public struct ClaimCandidate: Hashable, Sendable {
    /// The line that it stands in.
    public var queue: String
    /// The host that it asks.
    public var host: String
    /// Where it stands in its line.
    public var place: LinePlace
    /// Since when it counts as waiting, in milliseconds.
    public var since: Int64

    /// Which transfer it is.
    public var id: TransferID { place.id }

    /// Creates a candidate.
    public init(queue: String, host: String, place: LinePlace, since: Int64) {
        self.queue = queue
        self.host = host
        self.place = place
        self.since = since
    }
}
