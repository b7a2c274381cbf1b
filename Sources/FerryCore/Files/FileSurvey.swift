/// What is under a final name and its part file's name.
public struct FileSurvey: Hashable, Sendable {
    /// What has the final name; `nil` when nothing has.
    public var final: Entry?
    /// What has the part file's name; `nil` when nothing has.
    public var part: Entry?
    /// Whether somebody has the part file open to write it, in this process or another.
    public var isPartHeld: Bool
    /// Whether the file system keeps the time of a change exactly, so that a file whose ``Entry/modified`` is another one
    /// was changed. Over a network it may be the server's, and come later.
    public var keepsTimes: Bool

    /// Creates a survey.
    public init(final: Entry?, part: Entry?, isPartHeld: Bool = false, keepsTimes: Bool = true) {
        self.keepsTimes = keepsTimes
        self.final = final
        self.part = part
        self.isPartHeld = isPartHeld
    }

    /// Something in a directory.
    public struct Entry: Hashable, Sendable {
        /// Which file it is.
        public var identity: FileIdentity
        /// Its length in bytes; 0 unless it is a regular file.
        public var length: Int64
        /// What kind of thing it is.
        public var kind: Kind
        /// When its bytes were last changed, in nanoseconds since 1970 by the clock of its file system; `nil` where
        /// that is not known. A change of its name, mode, owner or links is no change of its bytes.
        public var modified: Int64?

        /// Creates an entry.
        public init(identity: FileIdentity, length: Int64, kind: Kind, modified: Int64? = nil) {
            self.identity = identity
            self.length = length
            self.kind = kind
            self.modified = modified
        }
    }

    /// The kind of a directory entry.
    public enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        /// A directory.
        case directory
        /// A symbolic link, which is never followed.
        case symbolicLink
        /// A device or a FIFO, which can be written to as a stream.
        case stream
        /// Anything else, such as a socket.
        case other
    }
}
