package import Ferry

/// What a mirror reports while it runs.
package enum MirrorEvent: Sendable {
    /// It has read this much of the source.
    case progress(files: Int, directories: Int)
    /// A request for a listing has failed, and is repeated after a wait.
    case waiting(RequestWait)
    /// A file of the source, and how it compares. Files that will be downloaded are reported only if nothing is.
    case found(path: String, MirrorEntry.Comparison)
    /// A file that is not replaced, although the source has another one.
    case conflict(path: String, reason: String)
    /// An entry of a listing that has no place in the directory.
    case refused(name: String, in: String, reason: String)
    /// A directory of the source that could not be listed.
    case unlisted(path: String, TransferFailure)
    /// A directory that could not be made, so that the files in it are not downloaded.
    case blocked(path: String, reason: String)
    /// Nothing is removed in this pass, for this reason.
    case withheld(reason: String)
    /// A file that the source no longer has, and which stays if the mirror placed it.
    case gone(path: String, isPlaced: Bool)
    /// A file that the source no longer has, and which was removed here.
    case deleted(path: String)
    /// A file that the source no longer has, and which stays although it was to be removed.
    case spared(path: String, reason: String)
    /// A part file that could not be removed, although the source no longer has its file.
    case leftover(reason: String)
}
