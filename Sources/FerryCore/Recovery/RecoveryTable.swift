/// Decides what to do with a download that is taken over, from the row's claims and what is on disk.
///
/// Every action is idempotent, and files change before rows. A crash during recovery therefore leads to a situation
/// that the table also covers.
package enum RecoveryTable {
    /// What to do.
    package enum Decision: Hashable, Sendable {
        /// Nothing exists: begin from byte 0.
        case begin
        /// The part file holds what `trust` says: resume from there.
        case resume(trust: Trust)
        /// Another program has changed the part file: only a digest of the whole can tell whether its bytes are right.
        case resumeChanged
        /// The bytes are gone: begin from byte 0 and say so.
        case beginAgain
        /// The disk with the bytes is not mounted: wait for it.
        case awaitDisk
        /// Every byte is verified and durable: perform the rename.
        case finishRename
        /// The rename was done: only the row must still record it.
        case markCompleted
        /// The final name is taken: ``DestinationTable`` decides.
        case nameTaken
        /// A foreign file has the part file's name, and is left alone.
        case partNameTaken
    }

    /// Which watermark of the row is believed.
    package enum Trust: Hashable, Sendable {
        /// The same boot: everything handed to the kernel exists.
        case written
        /// The same boot, but the part file is shorter than claimed: the claimed bytes within the file.
        case writtenWithinFile
        /// Another boot: only synced bytes certainly exist.
        case durable
        /// Another boot, and the part file is shorter than what was synced: the synced bytes within the file.
        case durableWithinFile
    }

    /// Returns the decision for a situation.
    package static func decide(_ situation: RecoverySituation) -> Decision {
        let trust: Trust =
            switch (situation.isSameBoot, situation.part) {
            case (true, .oursButShort): .writtenWithinFile
            case (true, _): .written
            case (false, .oursButShort): .durableWithinFile
            case (false, _): .durable
            }
        switch (situation.phase, situation.final, situation.part) {
        // The note of a publication is durable before the rename, and is written only when every byte is verified and
        // synced. With the note, the row's file under the final name is the published one.
        case (.publishing, .ours, _): return .markCompleted
        // Without the note the file is unfinished: a person renamed or linked it, or another file has its inode
        // number. Its length proves nothing, as reserved space and holes count (I1).
        case (.receiving, .ours, _): return .nameTaken
        case (.publishing, .absent, .ours): return .finishRename
        // Published bytes are durable, so a short file was tampered with. The rest of it is trusted only as much as an
        // unpublished file.
        case (_, .absent, .ours), (_, .absent, .oursButShort): return .resume(trust: trust)
        case (_, .absent, .oursButChanged): return .resumeChanged
        case (_, .absent, .neverMade), (_, .absent, .foreignEmpty): return .begin
        case (_, .absent, .lost): return .beginAgain
        case (_, .absent, .unmounted): return .awaitDisk
        case (_, .absent, .foreign): return .partNameTaken
        case (_, .foreign, _): return .nameTaken
        }
    }

    /// Returns the decision about the part file once the user's policy has freed the final name.
    package static func decideIgnoringFinal(_ situation: RecoverySituation) -> Decision {
        var cleared = situation
        cleared.final = .absent
        return decide(cleared)
    }
}
