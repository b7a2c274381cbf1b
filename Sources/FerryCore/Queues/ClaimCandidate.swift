/// A transfer that a claim may take.
package struct ClaimCandidate: Hashable, Sendable {
    /// The queue in whose line it stands.
    package var queue: String
    /// The host that it connects to.
    package var host: String
    /// Its place in the line.
    package var place: LinePlace
    /// The moment since which it counts as waiting, in milliseconds.
    package var since: Int64

    /// The transfer's number.
    package var id: TransferID { place.id }

    /// Creates a candidate.
    package init(queue: String, host: String, place: LinePlace, since: Int64) {
        self.queue = queue
        self.host = host
        self.place = place
        self.since = since
    }
}
