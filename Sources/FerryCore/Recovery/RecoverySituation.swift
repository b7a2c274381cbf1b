/// What an owner finds when it takes over a download: what the row claims, and what the disk shows.
public struct RecoverySituation: Hashable, Sendable {
    /// How far the row says that the attempt had come.
    public var phase: Checkpoint.Phase
    /// What is under the part file's name, against what the row claims.
    public var part: Part
    /// What is under the final name.
    public var final: Final
    /// Whether the row's claim was made under this boot, and the file system has not been mounted anew since, so that
    /// `written` watermarks hold.
    public var isSameBoot: Bool

    /// What is under the part file's name.
    public enum Part: Hashable, Sendable, CaseIterable {
        /// Nothing, and the row claims nothing.
        case neverMade
        /// Nothing, although the row claims a part file; or in its place an empty one of somebody's.
        case lost
        /// The row's own part file, as long as every claim needs.
        case ours
        /// The row's own part file, shorter than its claims.
        case oursButShort
        /// The row's own part file, whose bytes another program has changed since the last attempt ended.
        case oursButChanged
        /// An empty regular file that the row does not claim. Where files cannot be made without a name it may be a
        /// creation that was cut short, which the file system knows.
        case foreignEmpty
        /// Something else that the row does not claim.
        case foreign
    }

    /// What is under the final name.
    public enum Final: Hashable, Sendable, CaseIterable {
        /// Nothing.
        case absent
        /// The very file that was the row's part file, as long as the whole.
        case ours
        /// Another regular file.
        case foreignFile
        /// Something that is no regular file, and is never replaced.
        case obstacle
    }

    /// Creates a situation.
    public init(phase: Checkpoint.Phase, part: Part, final: Final, isSameBoot: Bool) {
        self.phase = phase
        self.part = part
        self.final = final
        self.isSameBoot = isSameBoot
    }

    /// Compares a row's checkpoint with what a survey found.
    public init(_ checkpoint: Checkpoint, survey: FileSurvey, boot: BootID) {
        let claim = checkpoint.part
        func isOurs(_ entry: FileSurvey.Entry) -> Bool {
            entry.kind == .file && claim?.identity.isSameFile(as: entry.identity) == true
        }
        // What a disk did not get before it was taken out is gone as after a reboot.
        let found = [survey.part, survey.final].compactMap { $0 }.first(where: isOurs)
        let isSameMount = found.map { $0.identity == claim?.identity } ?? true
        let isSameBoot = claim.map { $0.boot == boot && isSameMount } ?? true
        // Only whole and synced bytes are published; a row that says otherwise has taken claims back since.
        let phase: Checkpoint.Phase = checkpoint.segments.isDurable ? checkpoint.phase : .receiving
        self.isSameBoot = isSameBoot
        self.phase = phase
        final =
            switch survey.final {
            case nil: .absent
            case let entry? where isOurs(entry) && entry.length == checkpoint.segments.length: .ours
            case let entry? where entry.kind == .file: .foreignFile
            case _?: .obstacle
            }
        var trusted = checkpoint.segments
        if !isSameBoot { trusted.rewindToDurable() }
        part =
            switch survey.part {
            case nil: claim == nil ? .neverMade : .lost
            case let entry? where isOurs(entry):
                if isSameBoot, survey.keepsTimes, let known = claim?.modified, entry.modified != known {
                    .oursButChanged
                } else {
                    entry.length < trusted.claimedExtent ? .oursButShort : .ours
                }
            case let entry? where entry.kind == .file && entry.length == 0:
                // Where the row claims another file, its bytes are gone, whoever made this one.
                claim == nil ? .foreignEmpty : .lost
            case _?: .foreign
            }
    }
}
