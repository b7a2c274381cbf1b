/// What a transfer that is over leaves behind until it is removed.
package enum WorkResidue: Hashable, Sendable {
    /// A part file on this machine. Any process can remove it.
    case partFile(FilePlace, PartFileClaim)
    /// An upload that was begun at a server, which its work describes. Only an engine reaches the server.
    case upload
    /// The copy of the body of a request (``BodyFiles``), which has the UUID of the transfer as its name.
    case bodyCopy
}
