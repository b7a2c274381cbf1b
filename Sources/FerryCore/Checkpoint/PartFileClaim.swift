/// A transfer's claim on a part file: which file, and under which boot its unsynced bytes are to be trusted.
public struct PartFileClaim: Hashable, Sendable, Codable {
    /// The part file's name; the final name may have been given a number since.
    public var name: FileName
    /// The part file's identity; another file under the same name is foreign.
    public var identity: FileIdentity
    /// The boot in which `written` watermarks hold.
    public var boot: BootID
    /// When the file was last changed by Ferry, as ``FileSurvey/Entry/modified`` tells it: recorded at publication, and when an
    /// attempt ends that leaves a part file. `nil` while an attempt runs, after the death of its process, and where the
    /// file system does not keep that time exactly.
    public var modified: Int64?

    /// Creates a claim.
    public init(name: FileName, identity: FileIdentity, boot: BootID, modified: Int64? = nil) {
        self.name = name
        self.identity = identity
        self.boot = boot
        self.modified = modified
    }
}
