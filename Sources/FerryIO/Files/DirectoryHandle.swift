internal import FerryCore
internal import SystemPackage

/// A directory that was opened once, and beneath which everything else happens by names of one component.
///
/// What I6 forbids is to follow a link that somebody else put in the way of a file. The path of the directory
/// itself is the user's own choice, and links in it are common and meant (`/tmp` and `~/Downloads` often are
/// one): they are followed, once, when the directory is opened here. From then on the directory is this
/// descriptor. Renaming it, or setting a link in its place, changes nothing; no path is resolved a second time;
/// and of the names beneath it none is followed where it leads out.
///
/// Closed when the last reference goes.
final class DirectoryHandle: Sendable {
    /// The path by which the user named it; for messages only.
    let path: String
    /// The open directory.
    let descriptor: FileDescriptor
    /// Which directory it is, whatever its path is by now.
    let identity: FileIdentity
    private let canSync: Bool

    /// Opens a directory.
    init(_ path: String) throws(StorageProblem) {
        self.path = path
        do {
            (descriptor, canSync) = try Platform.openDirectory(path)
            identity = try FileStatus(of: descriptor).identity
        } catch {
            throw StorageProblem(error, while: .openDirectory, path: path)
        }
    }

    deinit { Platform.close(descriptor) }

    /// The path of an entry; for messages only.
    func path(of name: FileName) -> String {
        path.hasSuffix("/") ? path + name.rawValue : "\(path)/\(name.rawValue)"
    }

    /// What is under a name, itself and not what it links to; `nil` when nothing is.
    func status(of name: FileName) throws(StorageProblem) -> FileStatus? {
        do {
            return try FileStatus(of: name.rawValue, beneath: descriptor)
        } catch {
            throw StorageProblem(error, while: .survey, path: path(of: name))
        }
    }

    /// Whether its path still leads to it, as far as that can be told.
    var isAtItsPath: Bool {
        do {
            // This one is open, so its numbers are not another one's.
            return try FileStatus(following: path).identity == identity
        } catch {
            // Any other failure, such as a lost permission, does not prove that it was moved.
            return error != .noSuchFileOrDirectory && error != .notDirectory
        }
    }

    /// The path by which it is reached now, whatever it was opened by; `nil` where that is not known.
    var presentPath: String? { Platform.path(of: descriptor) }

    /// Removes a name.
    func remove(_ name: FileName) throws(StorageProblem) {
        do {
            try Platform.unlink(name.rawValue, in: descriptor)
        } catch {
            guard error != .noSuchFileOrDirectory else { return }
            throw StorageProblem(error, while: .remove, path: path(of: name))
        }
    }

    /// Makes the names in it durable.
    func synchronize() throws(StorageProblem) {
        guard canSync else {
            // A directory that may be changed but not read has no descriptor to sync. There the whole system is
            // brought to rest instead: slow, rare and right.
            return Platform.synchronizeEverything()
        }
        do {
            try Platform.synchronizeNames(in: descriptor)
        } catch {
            // Some network file systems cannot sync a directory and say so; their renames are the server's care.
            guard error != .invalidArgument, error != .notSupported, error != .noFunction else { return }
            throw StorageProblem(error, while: .synchronizeDirectory, path: path)
        }
    }

    /// How many bytes this user may still write to its file system.
    func freeSpace() throws(StorageProblem) -> Int64 {
        do {
            return try Platform.freeSpace(at: descriptor)
        } catch {
            throw StorageProblem(error, while: .freeSpace, path: path)
        }
    }
}
