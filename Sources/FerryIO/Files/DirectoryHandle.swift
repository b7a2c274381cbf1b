internal import FerryCore
internal import Synchronization
internal import SystemPackage

/// A directory that was opened once. Every later operation names one component beneath it.
///
/// I6 forbids following a link that another user placed in the way of a file. The path of the directory itself is the
/// user's choice, and links in it are common and intended (`/tmp` and `~/Downloads` often are links). They are followed
/// once, when the directory is opened here. From then on the directory is this descriptor. Renaming it or replacing it
/// with a link changes nothing. No path is resolved a second time, and no name beneath it is followed out of it.
///
/// The last directories of a path may have names that a document or a server chose (``FilePlace/root``). They are opened one
/// after the other, and no link among them is followed.
///
/// Closed when the last reference is dropped.
final class DirectoryHandle: Sendable {
    /// The path given by the user; for messages only.
    let path: String
    /// The open directory.
    let descriptor: FileDescriptor
    /// The identity of the directory, even if its path has changed.
    let identity: FileIdentity
    private let canSync: Bool
    /// The first failure of a sync of it. The kernel tells it only once for each open file, and takes what was not written for
    /// written. So no later sync of this handle is trusted.
    private let failure = Mutex<StorageProblem?>(nil)
    /// What the file system says about times; `nil` before it is asked.
    private let times = Mutex<Bool?>(nil)

    /// Opens a directory.
    convenience init(_ path: String) throws(StorageProblem) { try self.init(path, root: path, []) }

    /// Opens the directory of a place.
    convenience init(_ place: FilePlace) throws(StorageProblem) {
        if let root = place.root, let folders = place.folders {
            try self.init(place.directory, root: root, folders)
        } else {
            try self.init(place.directory)
        }
    }

    /// Opens a directory.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - root: the path of the directory that is opened first.
    ///   - folders: the names that lead from there to the directory. None of them is followed if it is a link.
    private init(_ path: String, root: String, _ folders: [String]) throws(StorageProblem) {
        self.path = path
        do {
            (descriptor, canSync) = try Self.open(root, folders)
            identity = try FileStatus(of: descriptor).identity
        } catch {
            guard !folders.isEmpty, error == .notDirectory || error == .tooManySymbolicLinkLevels else {
                throw StorageProblem(error, while: .openDirectory, path: path)
            }
            throw .linkedFolder(path, below: root, errno: error)
        }
    }

    private static func open(
        _ root: String,
        _ folders: [String]
    ) throws(Errno) -> (descriptor: FileDescriptor, canSync: Bool) {
        var opened = try Platform.openDirectory(root)
        for name in folders {
            let parent = opened.descriptor
            defer { Platform.close(parent) }
            opened = try Platform.openDirectory(name, in: parent)
        }
        return opened
    }

    /// Makes a directory for this user only, durably, unless it is there, and opens it.
    static func making(_ path: String) throws(StorageProblem) -> DirectoryHandle {
        do throws(Errno) {
            if try Platform.makePrivateDirectory(path) {
                let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
                let directory = try Platform.openDirectory(parent.isEmpty ? "/" : "\(parent)").descriptor
                defer { Platform.close(directory) }
                try Platform.synchronizeNames(in: directory)
            }
        } catch {
            throw StorageProblem(error, while: .create, path: path)
        }
        return try DirectoryHandle(path)
    }

    deinit { Platform.close(descriptor) }

    /// The path of an entry; for messages only.
    func path(of name: FileName) -> String {
        path.hasSuffix("/") ? path + name.rawValue : "\(path)/\(name.rawValue)"
    }

    /// The status of a name without following a link; `nil` if the name does not exist.
    func status(of name: FileName) throws(StorageProblem) -> FileStatus? {
        do {
            return try FileStatus(of: name.rawValue, beneath: descriptor)
        } catch {
            throw StorageProblem(error, while: .survey, path: path(of: name))
        }
    }

    /// When it was made, or an entry of it was last added, removed or renamed, in nanoseconds since 1970: the later of the two.
    /// A copy of a directory may have an old time, but not an old birth. `nil` if that is unknown.
    var changed: Int64? {
        do {
            // Some file systems return 1970 for an unknown time.
            guard let modified = try FileStatus(of: descriptor).modified, modified > 0 else { return nil }
            return max(modified, identity.birth ?? modified)
        } catch {
            return nil
        }
    }

    /// Whether its path still leads to it; `nil` if that cannot be determined.
    var isAtItsPath: Bool? {
        do {
            // The directory is open, so its numbers cannot be reused for another one.
            return try FileStatus(following: path).identity == identity
        } catch {
            // Any other failure, such as a lost permission, does not prove that it was moved.
            return error == .noSuchFileOrDirectory || error == .notDirectory ? false : nil
        }
    }

    /// Its current path, whatever path it was opened by; `nil` if that is unknown.
    var presentPath: String? { Platform.path(of: descriptor) }

    /// Whether its file system was unmounted since it was opened (`umount -l`).
    ///
    /// The kernel then gives a path from the top of that file system. So this path leads to another directory, or to none, and the
    /// path by which it was opened leads to another device.
    var isDetached: Bool {
        guard let present = presentPath, present != path else { return false }
        let (there, here) = (Self.identity(at: present), Self.identity(at: path))
        // A directory below a mount has the path of what is mounted there.
        return there != identity && (there == nil || there != here) && here?.device != identity.device
    }

    private static func identity(at path: String) -> FileIdentity? {
        do { return try FileStatus(following: path).identity } catch { return nil }
    }

    /// The names in it, in any order.
    func names() throws(StorageProblem) -> [FileName] {
        let names: [String]
        do {
            names = try Platform.names(in: descriptor)
        } catch {
            throw StorageProblem(error, while: .survey, path: path)
        }
        return names.compactMap { name in
            do {
                return try FileName(userGiven: name)
            } catch {
                return nil
            }
        }
    }

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
            // A directory that may be changed but not read has no descriptor to sync. Sync the whole system
            // instead: slow and rare, but correct.
            return Platform.synchronizeEverything()
        }
        do {
            try Platform.synchronizeNames(in: descriptor)
        } catch {
            // Some network file systems cannot sync a directory and report that; their server makes renames
            // durable.
            guard error != .invalidArgument, error != .notSupported, error != .noFunction else { return }
            throw StorageProblem(error, while: .synchronizeDirectory, path: path)
        }
    }

    /// The failure of an earlier sync of it.
    var failedSync: StorageProblem? { failure.withLock { $0 } }

    /// Notes that a sync of it has failed.
    func noteFailedSync(_ problem: StorageProblem) {
        failure.withLock { $0 = $0 ?? problem }
    }

    /// Whether its file system keeps modification times exactly.
    var keepsTimes: Bool {
        if let known = times.withLock({ $0 }) { return known }
        let keeps = Platform.keepsTimes(at: descriptor)
        times.withLock { $0 = keeps }
        return keeps
    }

    /// The number of bytes that this user may still write to its file system.
    func freeSpace() throws(StorageProblem) -> Int64 {
        do {
            return try Platform.freeSpace(at: descriptor)
        } catch {
            throw StorageProblem(error, while: .freeSpace, path: path)
        }
    }

    /// Whether its file system takes no change. One that was stopped by an error, or that its server exports read-only, may be
    /// mounted writable. So a file is created, and removed.
    var isReadOnly: Bool {
        if Platform.isMountedReadOnly(descriptor) { return true }
        do throws(Errno) {
            if let file = try Platform.createNameless(in: descriptor) {
                Platform.close(file)
            } else {
                let name = ".ferry-\(UInt64.random(in: 0 ... .max))"
                Platform.close(try Platform.open(name, beneath: descriptor, .createExclusively))
                try Platform.unlink(name, in: descriptor)
            }
            return false
        } catch {
            return error == .readOnlyFileSystem
        }
    }
}
