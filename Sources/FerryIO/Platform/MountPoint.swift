internal import FerryCore
internal import SystemPackage

/// Finds out where file systems are mounted.
enum MountPoint {
    /// The path at which the file system of a directory is mounted: that of the directory, or of one above it. A directory that
    /// does not exist yet will be on the file system of the one above it.
    ///
    /// A directory is a mount point if the one above it is on another device. So only the numbers of one moment are compared:
    /// that of a device may change at each boot or mount.
    ///
    /// - Returns: `nil` for the file system of `/`, and if the path cannot be followed.
    static func of(_ directory: String) -> String? {
        do {
            return try found(FilePath(directory))
        } catch {
            return nil
        }
    }

    private static func found(_ directory: FilePath) throws(Errno) -> String? {
        guard directory.isAbsolute else { return nil }
        let root = try device("/")
        var path = directory
        var isResolved = false
        while !path.components.isEmpty {
            if let own = try device(path.string) {
                guard own != root else { return nil }
                if try device("\(path.string)/..") != own { return path.string }
                if !isResolved {
                    // The directory above the target of a link is not the one above the link.
                    guard let resolved = ResolvedPath.ofExisting(path.string) else { return nil }
                    (path, isResolved) = (FilePath(resolved), true)
                }
            }
            path.removeLastComponent()
        }
        return nil
    }

    /// The device of the nearest directory above a path that exists; `nil` if the path is relative or cannot be followed.
    static func device(above path: String) -> UInt64? {
        var directory = FilePath(path)
        guard directory.isAbsolute else { return nil }
        do {
            while directory.removeLastComponent() {
                if let found = try device(directory.string) { return found }
            }
            return nil
        } catch {
            return nil
        }
    }

    /// The device of a directory; `nil` if the path leads to none.
    private static func device(_ path: String) throws(Errno) -> UInt64? {
        do {
            // The status of a path mounts nothing. With a point behind it, an automatic mount is made, as it is when a file in the
            // directory is opened. Otherwise it would count as absent after each idle time.
            return try FileStatus(following: "\(path)/.").identity.device
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
            return nil
        }
    }
}
