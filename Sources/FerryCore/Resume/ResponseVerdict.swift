/// What a response to a download means, and what to do with its body.
package enum ResponseVerdict: Hashable, Sendable {
    /// The first answer: these are the bytes from 0 on.
    case begin
    /// The rest of the segment, of the same version: write it from the first byte asked for.
    case proceed(Reason)
    /// As `proceed`, but the first bytes were already received and must be equal.
    case compare(overlap: Int64)
    /// The body is another version, or the whole of this one: drop the received bytes and write it from byte 0.
    case startOver(Reason)
    /// The body is of no use; send this request on a new connection. `finding` is what this answer has shown.
    case askAgain(RangeRequest, finding: Finding? = nil)
    /// Every byte was already received.
    case complete
    /// The body is of no use, and the attempt fails.
    case refuse(Problem)

    /// What an answer shows although its body is of no use.
    package enum Finding: Hashable, Sendable {
        /// The resource has another version now, or another length.
        case otherVersion
        /// It has another version, and the server sent a part of it despite `If-Range`.
        case ignoredIfRange
        /// Its strong entity tag matches, but its modification date differs.
        case otherDate

        /// Whether the answer is certainly of another version.
        var isAnotherVersion: Bool { self != .otherDate }
    }

    /// Why it is safe to resume, or necessary to start over.
    package enum Reason: String, Hashable, Sendable {
        /// The server confirmed the entity tag.
        case entityTagMatched
        /// The server confirmed the modification date.
        case dateMatched
        /// The resource has another version now.
        case resourceChanged
        /// The server now sends the resource in another content coding than that of the received bytes.
        case formChanged
        /// The server cannot send a part of a resource.
        case rangesUnsupported
        /// Nothing proves that the version is the same, and the user requires proof.
        case unproved
    }
}
