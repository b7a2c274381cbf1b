/// A transfer's claim on a part file: the file, and the boot under which its unsynced bytes are trusted.
package struct PartFileClaim: Hashable, Sendable, Codable {
    /// The part file's name. The final name may have been numbered since.
    package var name: FileName
    /// The part file's identity; another file under the same name is foreign.
    package var identity: FileIdentity
    /// The boot in which `written` watermarks hold.
    package var boot: BootID
    /// When Ferry last changed the file, as in ``FileSurvey/Entry/modified``. Recorded at publication, and when an
    /// attempt ends and leaves a part file. `nil` while an attempt runs, after its process died, and on a file system
    /// that does not keep that time exactly.
    package var modified: Int64?
    /// How the file is sealed; `nil` if it has the bytes in clear.
    package var seal: PartSeal?
    /// The file of another tool that is taken over; `nil` once it is the part file.
    package var adoption: PendingAdoption?

    /// Creates a claim.
    package init(name: FileName, identity: FileIdentity, boot: BootID, modified: Int64? = nil) {
        self.name = name
        self.identity = identity
        self.boot = boot
        self.modified = modified
    }
}
