/// The number of files of a pass, by what became of them.
package struct MirrorTally: Hashable, Sendable {
    /// Files that were not in the directory.
    package var new = 0
    /// Files with another version than the mirrored one.
    package var changed = 0
    /// Files with the mirrored version in their places.
    package var unchanged = 0
    /// Files whose server would be asked; only if nothing is downloaded.
    package var asked = 0
    /// Files with the mirrored version that were changed here, and left alone.
    package var kept = 0
    /// Files that are not replaced by others of the source: the mirror did not place them, or they were changed here.
    package var conflicts = 0
    /// Files that the source no longer has.
    package var gone = 0
    /// Those of them that were removed here.
    package var deleted = 0
    /// Files and directories that `--delete` could not remove.
    package var spared = 0
    /// Entries of listings that have no place in the directory.
    package var refused = 0
    /// Directories of the source that could not be listed.
    package var unlisted = 0
    /// Directories that could not be made here.
    package var blocked = 0
    /// Files that are not downloaded yet.
    package var unfinished = 0

    /// Files that the source lists and that have a place here.
    var listedCount: Int { new + changed + unchanged + asked + kept + conflicts }

    /// Counts nothing.
    package init() {}

    /// Counts a file of the source.
    mutating func count(_ comparison: MirrorEntry.Comparison) {
        switch comparison {
        case .new: new += 1
        case .changed: changed += 1
        case .unchanged: unchanged += 1
        case .asked: asked += 1
        case .kept: kept += 1
        case .conflict: conflicts += 1
        }
    }
}
