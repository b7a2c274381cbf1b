/// What happened, as the runner of a ``DownloadMachine`` reports it.
package enum DownloadEvent: Sendable {
    /// The attempt may begin.
    case begin
    /// The answer to ``DownloadAction/survey(_:)``.
    case surveyed(FileSurvey)
    /// The part file is open. `isNamed` says whether it has its name already.
    case partReady(FileIdentity, isNamed: Bool = true, seal: PartSeal? = nil)
    /// The new part file has its name.
    case partNamed
    /// The file of another tool is the part file, durably.
    case adopted
    /// Space for the whole file is reserved, where the file system can.
    case reserved
    /// The part file was cut to the length of the resource.
    case trimmed
    /// The head of a response has arrived; its body is held back. Its facts are stored apart, because they are much larger than
    /// what any other event has.
    indirect case head(ConnectionID, ResponseFacts)
    /// How far each connection has written; sent at intervals.
    case advanced([ConnectionID: Int64])
    /// As `advanced`, in answer to ``DownloadAction/sample(after:)``.
    case sampled([ConnectionID: Int64])
    /// The answer to ``DownloadAction/recall(_:)``; `isProbed` if one connection more than the remembered limit is tried.
    case recalled(ServerTraits, of: Origin, isProbed: Bool = false)
    /// The answer to ``DownloadAction/shorten(_:to:for:)``: whether the shortened body ends where the body of the given
    /// connection begins.
    case shortened(for: ConnectionID, Bool)
    /// A connection has ended; `at` is how far it has written, `nil` when it never received.
    case connectionEnded(ConnectionID, at: Int64?, ConnectionEnd)
    /// The answer to ``DownloadAction/synchronize``: everything that was written when it was ordered is durable.
    case synchronized
    /// The digest of the whole part file.
    case digested(Checksum)
    /// The pieces whose digests are wrong.
    case piecesDigested(wrong: [Int])
    /// The file has its final name, durably; `modified` is when its bytes last changed.
    case published(modified: Int64?)
    /// The answer to ``DownloadAction/inspect(_:_:)``: how the file differs from what was asked for, `nil` when it does
    /// not.
    case inspected(FileFlaw?)
    /// The directory was synced after a rename that a crash had interrupted.
    case directorySynchronized
    /// The next request uses another URL, whose signature expires at this moment; `nil` if it does not, or is renewed
    /// before.
    case readdressed(expiry: Instant?)
    /// The part file was removed, or given back.
    case partRemoved
    /// A file operation failed.
    case storageFailed(StorageOperation, Problem)
    /// The caller wants the attempt to end.
    case ask(StopOrder)
}

extension DownloadEvent {
    /// How a connection ended.
    package enum ConnectionEnd: Hashable, Sendable {
        /// The body came to its proper end.
        case complete
        /// The overlap that was fetched again differs from the bytes on disk.
        case overlapDiffers
        /// It was cut, as ordered.
        case disconnected
        /// It was not opened: the host has no connection to spare.
        case denied
        /// It was not opened: a rate limit sets the speed.
        case heldBack
        /// It failed.
        case failed(Problem)
    }

    /// A file operation that can fail.
    package enum StorageOperation: Hashable, Sendable {
        /// Looking at the directory.
        case survey
        /// Creating, adopting, opening, reserving or cutting the part file.
        case prepare
        /// Giving the part file its name.
        case name
        /// Bringing bytes to stable storage.
        case synchronize
        /// Reading a file back.
        case digest
        /// Renaming.
        case publish
        /// Removing the part file.
        case remove
    }
}
