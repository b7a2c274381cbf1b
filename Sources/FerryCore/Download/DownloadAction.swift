/// What the runner of a ``DownloadMachine`` must do.
///
/// A progress is stored apart, because it is large: each action of a list has room for the largest, and is copied.
package enum DownloadAction: Hashable, Sendable {
    /// Look at the files in the place. Feeds back `surveyed`. If nothing is there and `creating` is set, `createPart` is the next
    /// order of the same place unless the attempt ends, so the part file may be created ahead.
    case survey(FilePlace, creating: Bool = false)
    /// Create the part file. Feeds back `partReady`.
    case createPart(FilePlace)
    /// Give the part file that was just created its name. Feeds back `partNamed`.
    case namePart
    /// Open the part file. Feeds back `partReady`.
    case openPart(FilePlace, FileIdentity)
    /// Make the file with this identity, which another tool left under the final name, the part file. Feeds back `adopted`.
    case adopt(FilePlace, FileIdentity)
    /// Let the part file end here, and cut off what follows. Feeds back `trimmed`.
    case trim(Int64)
    /// Remove the part file with this identity and create a new, empty file in its place. Feeds back `partReady`.
    case replacePart(FilePlace, FileIdentity)
    /// Reserve space for the whole file. Feeds back `reserved`, or `storageFailed` when there is not enough.
    case reserve(Int64)
    /// The file will have this length.
    case expect(Int64)
    /// Open a connection. Feeds back `head`, then waits for `receive` or `disconnect`.
    case connect(ConnectionID, RangeRequest)
    /// Open a connection beside others, if the host may have one more. Feeds back as `connect`, or
    /// `connectionEnded` with `denied`.
    case connectBeside(ConnectionID, RangeRequest)
    /// End the body of a connection at an offset, so that another connection can begin there, unless the body has
    /// passed that offset. Feeds back `shortened`.
    case shorten(ConnectionID, to: Int64, for: ConnectionID)
    /// Report after this time how far each connection has written. Feeds back `sampled`.
    case sample(after: Duration)
    /// Look up what is remembered of a server. Feeds back `recalled`.
    case recall(Origin)
    /// Take the body: write it from `at` on, at most `limit` bytes. The first `comparing` bytes already exist and
    /// are only compared. Feeds back `connectionEnded`.
    case receive(ConnectionID, at: Int64, limit: Int64?, comparing: Int64)
    /// Undo this coding of the body that the next `receive` takes.
    case decode(ConnectionID, ContentCoding)
    /// Cut the connection. Feeds back `connectionEnded`.
    case disconnect(ConnectionID)
    /// Record the progress in the store.
    indirect case record(DownloadProgress, Durability)
    /// Bring the part file to stable storage. Feeds back `synchronized`.
    case synchronize
    /// Compute the digest of the first `length` bytes. Feeds back `digested`.
    case digest(Checksum.Algorithm, length: Int64)
    /// Compute the digests of the pieces of a file of this length. Feeds back `piecesDigested`.
    case digestPieces(PieceDigests, length: Int64)
    /// Compare the file that has the final name with what was asked for. Feeds back `inspected`.
    case inspect(FilePlace, FileSurvey.Entry)
    /// Rename the part file, after it got the modification time `dated` if there is one. Feeds back `published`.
    case publish(FileName, replacing: Bool, dated: Instant? = nil)
    /// Sync the directory. Feeds back `directorySynchronized`.
    case synchronizeDirectory(FilePlace)
    /// Remove the part file. Feeds back `partRemoved`.
    case removePart(FilePlace, FileIdentity)
    /// Give the file of another tool, which is the part file, back to the user. Feeds back `partRemoved`.
    case giveBack(FilePlace, FileIdentity, PendingAdoption)
    /// Remember what a server does, for other transfers.
    case remember(ServerTraits, of: Origin)
    /// Show a note to the user; the progress keeps it.
    case note(TransferNote)
    /// The attempt is over.
    indirect case finish(AttemptOutcome, DownloadProgress)
}
