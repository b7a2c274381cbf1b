internal import FerryCore
internal import Synchronization

/// The directories that are open. All files of a directory share one handle.
///
/// A file keeps its directory open for as long as it is open itself. So a download that begins while another one of the same
/// directory is under way does not open it again. Nothing else keeps a directory open: its file system could not be unmounted.
final class DirectoryHandles: Sendable {
    private struct Entry {
        weak var handle: DirectoryHandle?
    }

    /// By the octets of the path: `String` would treat two directories with canonically equivalent names as one. An entry whose
    /// handle is closed is removed when the next directory is opened.
    private let entries = Mutex<[[UInt8]: Entry]>([:])

    /// The directory of a place. An open one is used only if its path still leads to it, and no sync of it has failed.
    ///
    /// Below a root, each directory on the path is opened anew, so that no link among them is followed.
    func handle(of place: FilePlace) throws(StorageProblem) -> DirectoryHandle {
        guard place.folders == nil else { return try DirectoryHandle(place) }
        let path = Array(place.directory.utf8)
        let open = entries.withLock { $0[path]?.handle }
        if let open, open.failedSync == nil, open.isAtItsPath == true { return open }
        let opened = try DirectoryHandle(place)
        entries.withLock { entries in
            entries = entries.filter { $0.value.handle != nil }
            entries[path] = Entry(handle: opened)
        }
        return opened
    }
}
