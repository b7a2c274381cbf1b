/// An event of a transfer that a person may want to know about, and that is not a failure.
///
/// The `code` is stable and may be matched on. The message is for people and may change. It contains no secret (I7):
/// URLs are redacted when it is made.
public struct TransferNote: Hashable, Sendable, Codable {
    /// What happened; the stable part.
    public var code: Code
    /// What happened, in one sentence for a person.
    public var message: String

    /// Creates a note.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The note of a transfer of unknown outcome that counts as completed (``RequestOutcome/arrived``).
    package static let countedAsArrived = TransferNote(
        .countedAsArrived,
        "It was unknown whether it arrived, and it was resolved as arrived."
    )

    /// The stable codes of notes.
    public enum Code: String, Hashable, Sendable, Codable, CaseIterable {
        /// It resumed from the received bytes, after a check that they belong to the same version.
        case resumed
        /// The received bytes were dropped, and it starts over.
        case startedOver
        /// Its part file was removed by another program, with its bytes.
        case partFileLost
        /// Its part file was changed by another program.
        case partFileChanged
        /// A file has the final name, and is left alone as the options say.
        case fileKept
        /// The file that was saved before is still the server's version.
        case upToDate
        /// The server sends no usable part, so the whole file is requested.
        case wholeRequested
        /// The part file has a number in its name, because something that belongs to no transfer has its usual name.
        case partNumbered
        /// The server sent a web page under the name of an archive, an image or a disk image.
        case unexpectedType
        /// The file has the time of its download, because its file system did not take the server's.
        case timeNotKept
        /// Bytes with a wrong digest, or that nothing shows to belong to the file, are fetched again.
        case bytesRefetched
        /// A mirror, or the URL itself, is not used any more.
        case sourceExcluded
        /// A mirror, or the URL itself, has another date and no digest, and is used only if the first server fails.
        case sourceHeldBack
        /// A mirror, or the URL itself, failed, and others are used.
        case sourceFailed
        /// The server may keep what it has received of an upload that was given up.
        case leftAtServer
        /// The same file was sent before, and nothing shows that the server still has it.
        case sentAgain
        /// The server says that it replaced something, although the upload was to create a file only (`If-None-Match: *`).
        case conditionInDoubt
        /// A redirect made a `GET` of a request with another method (RFC 9110 §15.4), and the response is that of the `GET`.
        case methodChanged
        /// A person or a resolver said that a request of unknown outcome has arrived.
        case countedAsArrived
        /// No fresh URL was obtained for one that has expired.
        case noFreshURL
    }
}
