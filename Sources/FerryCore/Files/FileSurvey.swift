/// What exists under a final name and under its part file's name.
package struct FileSurvey: Hashable, Sendable {
    /// What has the final name; `nil` if nothing has it.
    package var final: Entry?
    /// What has the part file's name; `nil` if nothing has it.
    package var part: Entry?
    /// Whether a process, perhaps this one, has the part file open for writing.
    package var isPartHeld: Bool
    /// Whether another transfer that has not ended claims the part file, or may do so.
    package var isPartClaimed = false
    /// Another transfer of this engine that is fetching a file with the same final name.
    package var fetcher: TransferID?
    /// Another transfer whose file already has the final name, and must not be replaced.
    package var keeper: TransferID?
    /// Whether the file system keeps modification times exactly, so that a file with another ``Entry/modified`` was
    /// changed. On a network file system the time may be the server's and change later.
    package var keepsTimes: Bool
    /// The device that the directory is on; `nil` if that is unknown.
    package var device: UInt64?
    /// When the directory was made, or an entry of it was last added, removed or renamed, in nanoseconds since 1970: the later
    /// of the two. `nil` if unknown.
    package var directoryModified: Int64?

    /// Creates a survey.
    package init(
        final: Entry?,
        part: Entry?,
        isPartHeld: Bool = false,
        keepsTimes: Bool = true,
        device: UInt64? = nil,
        directoryModified: Int64? = nil
    ) {
        self.keepsTimes = keepsTimes
        (self.device, self.directoryModified) = (device, directoryModified)
        self.final = final
        self.part = part
        self.isPartHeld = isPartHeld
    }

    /// Whether nothing exists under either name.
    package var isVacant: Bool { final == nil && part == nil }

    /// Whether the directory was there at a moment already, and has not changed since.
    package func isDirectoryUnchanged(since moment: Instant) -> Bool {
        // Some file systems return 1970 for an unknown time, such as FAT for its top directory after a mount.
        guard let modified = directoryModified, modified > 0 else { return false }
        return modified / 1_000_000 < moment.milliseconds
    }

    /// A directory entry.
    package struct Entry: Hashable, Sendable {
        /// The identity of the file.
        package var identity: FileIdentity
        /// Its length in bytes; 0 unless it is a regular file.
        package var length: Int64
        /// The kind of entry.
        package var kind: Kind
        /// When its bytes were last changed, in nanoseconds since 1970 by its file system's clock; `nil` if unknown.
        /// A change of name, mode, owner or links does not count.
        package var modified: Int64?

        /// Creates an entry.
        package init(identity: FileIdentity, length: Int64, kind: Kind, modified: Int64? = nil) {
            self.identity = identity
            self.length = length
            self.kind = kind
            self.modified = modified
        }
    }

    /// The kind of a directory entry.
    package enum Kind: Hashable, Sendable, CaseIterable {
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
