/// An answer, what was asked, and what others bring meanwhile.
struct ConnectionAnswer: Sendable {
    /// The connection's name.
    var id: ConnectionID
    /// What the head says.
    var facts: ResponseFacts
    /// How the body is to be decoded.
    var form: ContentForm
    /// The connection that was answered.
    var connection: OpenConnection
    /// What it asked for.
    var segment: Segment
    /// Whether other connections are open whose end still matters.
    var hasOthers: Bool
    /// Whether its source serves other connections.
    var isSourceShared: Bool
    /// Whether a connection fills the segment of which it asked a part.
    var isGiverReceiving: Bool
    /// What the lead's server was found to do.
    var traitsOfLead: ServerTraits
}
