/// What an owner finds when it takes over a download: the row's claims, and what is on disk.
package struct RecoverySituation: Hashable, Sendable {
    /// The phase that the row records.
    package var phase: DownloadProgress.Phase
    /// What exists under the part file's name, compared with the row's claims.
    package var part: Part
    /// What exists under the final name.
    package var final: Final
    /// Whether the row's claim was made under this boot and the file system was not remounted since, so that
    /// `written` watermarks hold.
    package var isSameBoot: Bool

    /// What has the part file's name.
    package enum Part: Hashable, Sendable, CaseIterable {
        /// Nothing, and the row claims nothing.
        case neverMade
        /// Nothing, or an empty foreign file, although the row claims a part file.
        case lost
        /// As ``lost``, but bytes were kept, and most likely their disk is not mounted.
        case unmounted
        /// The row's own part file, long enough for every claim.
        case ours
        /// The row's own part file, shorter than its claims.
        case oursButShort
        /// The row's own part file, whose bytes another program has changed since the last attempt ended.
        case oursButChanged
        /// An empty regular file that the row does not claim. On a file system that cannot create a file without a
        /// name, an interrupted creation leaves one; the file system knows.
        case foreignEmpty
        /// Something else that the row does not claim.
        case foreign
    }

    /// What exists under the final name.
    package enum Final: Hashable, Sendable, CaseIterable {
        /// Nothing.
        case absent
        /// The file that was the row's part file. It is as long as the whole file.
        case ours
        /// Anything else.
        case foreign
    }

    /// Creates a situation.
    package init(phase: DownloadProgress.Phase, part: Part, final: Final, isSameBoot: Bool) {
        self.phase = phase
        self.part = part
        self.final = final
        self.isSameBoot = isSameBoot
    }

    /// Compares a row's progress with what a survey found.
    package init(_ progress: DownloadProgress, survey: FileSurvey, boot: BootID) {
        let claim = progress.part
        func isOurs(_ entry: FileSurvey.Entry) -> Bool {
            entry.kind == .file && claim?.identity.isSameFile(as: entry.identity) == true
        }
        // Bytes that did not reach a disk before it was removed are gone, as after a reboot.
        let found = [survey.part, survey.final].compactMap { $0 }.first(where: isOurs)
        let isSameMount = found.map { $0.identity == claim?.identity } ?? true
        let isSameBoot = claim.map { $0.boot == boot && isSameMount } ?? true
        // Only whole and synced files are published. If the map is not durable, claims were withdrawn after the
        // publication.
        let phase: DownloadProgress.Phase = progress.segments.isDurable ? progress.phase : .receiving
        self.isSameBoot = isSameBoot
        self.phase = phase
        final =
            switch survey.final {
            case nil: .absent
            case let entry? where isOurs(entry) && entry.length == progress.segments.length: .ours
            case _?: .foreign
            }
        var trusted = progress.segments
        if !isSameBoot { trusted.rewindToDurable() }
        let isUnmounted = progress.segments.received > 0 && claim?.isOnAnotherDisk(survey) == true
        let gone: Part = isUnmounted ? .unmounted : .lost
        part =
            switch survey.part {
            case nil: claim == nil ? .neverMade : gone
            case let entry? where isOurs(entry):
                if isSameBoot, survey.keepsTimes, let known = claim?.modified, entry.modified != known {
                    .oursButChanged
                } else {
                    entry.length < trusted.claimedExtent ? .oursButShort : .ours
                }
            case let entry? where entry.kind == .file && entry.length == 0 && !survey.isPartClaimed:
                // If the row claims another file, that file's bytes are gone.
                claim == nil ? .foreignEmpty : gone
            case _?: .foreign
            }
    }
}
