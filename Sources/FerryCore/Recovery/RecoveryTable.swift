/// What is to be done with a download that is taken over, decided from what the row claims and what is on disk.
///
/// Every action is idempotent, and files are acted on before rows, so that a crash during recovery leads back
/// here with a situation that the table also knows.
public enum RecoveryTable {
    /// What is to be done.
    public enum Decision: Hashable, Sendable {
        /// Nothing is there: begin from byte 0.
        case begin
        /// The part file holds what `trust` says: go on from there.
        case resume(trust: Trust)
        /// Another program has changed the part file: only a digest of the whole can tell whether its bytes are right.
        case resumeChanged
        /// The bytes are gone: begin from byte 0 and say so.
        case beginAgain
        /// Every byte is verified and durable: rename, as was about to be done.
        case finishRename
        /// The rename was done: only the row is behind.
        case markCompleted
        /// The final name is taken: what the user chose for that case decides.
        case nameTaken(replaceable: Bool)
        /// Something else has the part file's name, and is left alone.
        case partNameTaken
    }

    /// Which watermark of the row is believed.
    public enum Trust: Hashable, Sendable {
        /// The same boot: all that was handed to the kernel is there.
        case written
        /// The same boot, but the part file is shorter than claimed: all that is claimed and there.
        case writtenWithinFile
        /// Another boot: only what was synced is known to be there.
        case durable
        /// Another boot, and the part file is shorter than what was synced: what of that is there.
        case durableWithinFile
    }

    /// The decision for a situation.
    public static func decide(_ situation: RecoverySituation) -> Decision {
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
        // Without the note it is unfinished: a person renamed or linked it, or another file has its inode number. Its
        // length proves nothing: reserved space and holes count (I1).
        case (.receiving, .ours, _): return .nameTaken(replaceable: true)
        case (.publishing, .absent, .ours): return .finishRename
        // Published bytes are durable, so a file that is short was tampered with: trust what is left of it
        // only as far as an unpublished one.
        case (_, .absent, .ours), (_, .absent, .oursButShort): return .resume(trust: trust)
        case (_, .absent, .oursButChanged): return .resumeChanged
        case (_, .absent, .neverMade), (_, .absent, .foreignEmpty): return .begin
        case (_, .absent, .lost): return .beginAgain
        case (_, .absent, .foreign): return .partNameTaken
        case (_, .foreignFile, _): return .nameTaken(replaceable: true)
        case (_, .obstacle, _): return .nameTaken(replaceable: false)
        }
    }

    /// What to do with the part file once the user's choice has settled that the final name is free to take.
    public static func decideIgnoringFinal(_ situation: RecoverySituation) -> Decision {
        var cleared = situation
        cleared.final = .absent
        return decide(cleared)
    }
}
