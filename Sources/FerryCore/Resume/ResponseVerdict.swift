/// What a response to a download means, and so what is to be done with its body.
public enum ResponseVerdict: Hashable, Sendable {
    /// The first answer: these are the bytes from 0 on.
    case begin
    /// The rest of the segment, of the same version: write it from the first byte asked for.
    case proceed(Reason)
    /// As `proceed`, but the first bytes are there already and must be equal to what comes.
    case compare(overlap: Int64)
    /// The body is another version, or the whole of this one: drop what is there and write it from byte 0.
    case startOver(Reason)
    /// The body is of no use; ask this instead on a new connection. `finding` is what this answer has shown.
    case askAgain(RangeRequest, finding: Finding? = nil)
    /// Every byte is there already.
    case complete
    /// The body is of no use, and the attempt is over.
    case refuse(Problem)

    /// What an answer shows although its body is of no use.
    public enum Finding: Hashable, Sendable {
        /// The resource is another version now, or has another length.
        case otherVersion
        /// It is another version, and the server sent a part of it in spite of `If-Range`.
        case ignoredIfRange
        /// Its strong entity tag is the same, and the date of its last change is another one.
        case otherDate

        /// Whether the answer is of another version for certain.
        var isAnotherVersion: Bool { self != .otherDate }
    }

    /// Why it is safe to go on, or necessary to begin again.
    public enum Reason: String, Hashable, Sendable {
        /// The server confirmed the entity tag.
        case entityTagMatched
        /// The server confirmed the modification date.
        case dateMatched
        /// The resource has another version now.
        case resourceChanged
        /// The server sends the resource in another content coding than before, of which there are no bytes yet.
        case formChanged
        /// The server cannot send a part of a resource.
        case rangesUnsupported
        /// Nothing proves that the version is the same, and the user does not want to go on without that.
        case unproved
    }
}
