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
    /// What is known of the file of another tool that is taken over; `nil` for a file that Ferry created.
    package var adoption: PendingAdoption?

    /// Creates a claim.
    package init(name: FileName, identity: FileIdentity, boot: BootID, modified: Int64? = nil) {
        self.name = name
        self.identity = identity
        self.boot = boot
        self.modified = modified
    }

    /// Whether the file is missing, and the directory is on another device than the file was. Most likely its disk is not
    /// mounted, and the directory is that of the disk below.
    ///
    /// A disk may get another device number when it is mounted. So the number says nothing about a file that is there.
    package func isOnAnotherDisk(_ survey: FileSurvey) -> Bool {
        guard let device = survey.device, device != identity.device else { return false }
        let isThere = [survey.part, survey.final].contains { $0?.identity.isSameFile(as: identity) == true }
        // A file system that cannot create a file without a name may have an empty one of an interrupted creation.
        let isNameFree = survey.part.map { $0.kind == .file && $0.length == 0 } ?? true
        return !isThere && isNameFree
    }

    /// Whether the published file is missing because its disk is not mounted: the directory is on another device, and nothing
    /// in it has changed since before the file came there.
    ///
    /// A directory from which the file was removed, or that was made anew, has changed later. So has the copy of a directory
    /// that was moved to another disk, even if it kept the time.
    ///
    /// - Parameter beginning: a moment before the file was published, such as when its transfer was added.
    package func isUnmounted(_ survey: FileSurvey, since beginning: Instant) -> Bool {
        survey.final == nil && isOnAnotherDisk(survey) && survey.isDirectoryUnchanged(since: beginning)
    }
}
