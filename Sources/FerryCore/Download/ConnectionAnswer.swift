/// An answer, its request, and what other connections bring meanwhile.
struct ConnectionAnswer: Sendable {
    /// The connection's name.
    var id: ConnectionID
    /// The status as the server sent it.
    var status: Int
    /// What the head says.
    var facts: ResponseFacts
    /// How to decode the body.
    var form: ContentForm
    /// The connection that was answered.
    var connection: OpenConnection
    /// What it asked for.
    var segment: Segment
    /// Whether other connections are open that have not been dismissed.
    var hasOthers: Bool
    /// Whether its source serves other connections.
    var isSourceShared: Bool
    /// Whether connections to other sources are open that have not been dismissed.
    var hasOtherSources: Bool
    /// Whether another connection fills the segment from which it asked for a part.
    var isGiverReceiving: Bool
    /// What the lead's server was found to do.
    var traitsOfLead: ServerTraits
}
