internal import FerryCore
internal import SystemPackage

/// Turns a part file into the final one. Repeating it after a crash at any point completes it.
///
/// It is durable only after a sync of the directory, which many publications share: see ``DirectorySyncs``.
struct Publication {
    /// The directory of both names.
    let directory: DirectoryHandle
    /// The part file's name.
    let part: FileName
    /// The final name.
    let final: FileName
    /// The file to publish, whatever its current name is.
    let identity: FileIdentity
    /// The same file.
    let descriptor: FileDescriptor

    private var finalPath: String { directory.path(of: final) }
    private var partPath: String { directory.path(of: part) }

    /// Renames the part file.
    ///
    /// - Parameter replacing: whether a regular file under the final name may be replaced; nothing else ever
    ///   is.
    func carryOut(replacing: Bool) throws(StorageProblem) {
        let present = try directory.status(of: part)
        let target = try directory.status(of: final)
        if target?.identity == identity {
            // A crash came after the new name was given. `rename` between two names of one file does nothing.
            if present?.identity == identity { try directory.remove(part) }
        } else {
            guard let present else { throw .absentPart(partPath) }
            guard present.identity == identity else { throw .replacedPart(partPath) }
            if replacing, let target {
                try replace(target)
            } else {
                try renameWithoutReplacing(mayReplace: replacing)
            }
        }
    }

    /// Gives the final name to a file that has no name.
    func name() throws(StorageProblem) {
        do {
            try Platform.link(descriptor, as: final.rawValue, in: directory.descriptor)
        } catch {
            guard error == .fileExists else { throw StorageProblem(error, while: .rename, path: finalPath) }
            // A network file system may have linked the file, lost the answer and retried. Or only the sync
            // of an earlier publication failed.
            let target = try directory.status(of: final)
            guard target?.identity == identity else { throw .taken(finalPath, by: target?.kind) }
        }
    }

    /// Renames over a regular file, and removes the permissions that the replaced file did not have.
    ///
    /// Another process could put a symbolic link there between the check and the rename. The link itself would be
    /// replaced, not followed, so nothing outside the directory is touched (I6).
    private func replace(_ target: FileStatus) throws(StorageProblem) {
        guard target.kind == .file else { throw .taken(finalPath, by: target.kind) }
        // It may be the part file of a running transfer, whose work would be lost: a server can name a file
        // `x.part`.
        let held = try hold()
        defer { held.map(Platform.release) }
        do {
            let permissions = try FileStatus(of: descriptor).permissions
            if permissions & target.permissions != permissions {
                try Platform.setPermissions(permissions & target.permissions, of: descriptor)
            }
            try Platform.rename(part.rawValue, to: final.rawValue, in: directory.descriptor)
        } catch {
            throw StorageProblem(error, while: .rename, path: partPath)
        }
    }

    /// Locks the file to be replaced, so that no process begins to write it. `nil` when it is gone, or when this user
    /// may not open it: then no transfer of theirs can be writing it.
    private func hold() throws(StorageProblem) -> FileDescriptor? {
        let descriptor: FileDescriptor
        do {
            descriptor = try Platform.open(final.rawValue, beneath: directory.descriptor, .readOnly)
        } catch {
            switch error {
            case .permissionDenied, .notPermitted, .noSuchFileOrDirectory: return nil
            default: throw StorageProblem(error, while: .open, path: finalPath)
            }
        }
        do {
            if try Platform.lock(descriptor) { return descriptor }
        } catch {
            Platform.close(descriptor)
            throw StorageProblem(error, while: .open, path: finalPath)
        }
        Platform.close(descriptor)
        throw .lockedPart(finalPath)
    }

    /// Renames to a name that must be free at that moment.
    private func renameWithoutReplacing(mayReplace: Bool) throws(StorageProblem) {
        do {
            try Platform.renameWithoutReplacing(part.rawValue, to: final.rawValue, in: directory.descriptor)
        } catch {
            switch error {
            case .fileExists:
                try settleCollision(mayReplace: mayReplace)
            case .invalidArgument, .noFunction, .notSupported, .notSupportedOnSocket:
                try linkAndUnlink(mayReplace: mayReplace)
            default:
                throw StorageProblem(error, while: .rename, path: partPath)
            }
        }
    }

    /// Handles a name that was taken between the check and the rename.
    private func settleCollision(mayReplace: Bool) throws(StorageProblem) {
        let target = try directory.status(of: final)
        guard mayReplace, let target else { throw .taken(finalPath, by: target?.kind) }
        try replace(target)
    }

    /// For file systems that cannot rename without replacing (NFS, some FUSE). Links the file under its
    /// second name, which fails if that is taken, then removes the first. A crash between the two leaves a
    /// complete file with both names.
    ///
    /// Without links, only a rename that may replace is left, and that needs the user's permission.
    private func linkAndUnlink(mayReplace: Bool) throws(StorageProblem) {
        do {
            try Platform.link(part.rawValue, as: final.rawValue, in: directory.descriptor)
        } catch {
            switch error {
            case .fileExists:
                return try settleCollision(mayReplace: mayReplace)
            case .notPermitted, .noFunction, .notSupported, .notSupportedOnSocket, .tooManyLinks,
                .invalidArgument:
                guard mayReplace else { throw .cannotPublishSafely(finalPath, errno: error) }
                do {
                    return try Platform.rename(part.rawValue, to: final.rawValue, in: directory.descriptor)
                } catch {
                    throw StorageProblem(error, while: .rename, path: partPath)
                }
            default:
                throw StorageProblem(error, while: .rename, path: partPath)
            }
        }
        try directory.remove(part)
    }
}
