import Ferry
import Glibc

/// The directory of a mirror on this machine. No link below it is followed (I6).
struct MirrorFolder {
    /// Its absolute path.
    let root: String

    /// Where a file of the mirror is.
    func place(of path: String) throws(FileName.Invalid) -> FilePlace {
        let (directory, name) = MirrorPath.split(path)
        return FilePlace(directory: absolute(directory), name: try FileName(userGiven: name), root: root)
    }

    /// The absolute path of a directory of the mirror.
    func absolute(_ path: String) -> String {
        if path == MirrorPath.top { return root }
        return root.hasSuffix("/") ? root + path : "\(root)/\(path)"
    }

    /// Makes the directory itself, if it is not there.
    ///
    /// - Returns: whether it was not there.
    func make() throws(CommandFailure) -> Bool {
        let isNew = mkdir(root, 0o777) == 0
        if !isNew, errno != EEXIST { throw failure(OpenFolder.Problem(number: errno)) }
        do throws(OpenFolder.Problem) {
            _ = try OpenFolder(at: root)
            if isNew { try OpenFolder.synchronizeName(of: root) }
        } catch {
            throw failure(error)
        }
        return isNew
    }

    /// Removes the directory itself, if nothing is in it.
    func removeIfEmpty() { rmdir(root) }

    private func failure(_ problem: OpenFolder.Problem) -> CommandFailure {
        CommandFailure(
            .cannotCreate,
            code: "cannotCreate",
            "Cannot save into \(QuotedWord(root)): \(problem.text)."
        )
    }

    // MARK: Looking

    /// What is at its path; the directory above it if that path does not exist. `nil` if it cannot be read.
    func found() -> MirrorDisk.Found? {
        var status = stat()
        var path = root
        if stat(path, &status) != 0 {
            guard errno == ENOENT else { return nil }
            path = FilePath.split(root).directory
            guard stat(path, &status) == 0 else { return nil }
        }
        guard let isEmpty = Self.isEmpty(path) else { return nil }
        return MirrorDisk.Found(
            isAbove: path != root,
            device: UInt64(status.st_dev),
            // A time out of range shows no unmounted disk.
            modified: Self.modified(status) ?? .max,
            isEmpty: isEmpty
        )
    }

    /// The disk that it is on; `nil` if it has no entries, or cannot be looked at.
    func disk(at now: Instant) -> MirrorDisk? {
        guard let found = found(), !found.isAbove, !found.isEmpty else { return nil }
        return MirrorDisk(device: found.device, noted: now)
    }

    /// Whether a directory has no entries; `nil` if it cannot be read.
    private static func isEmpty(_ path: String) -> Bool? {
        guard let stream = opendir(path) else { return nil }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { return errno == 0 ? true : nil }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name == Array(".".utf8) || name == Array("..".utf8) else { return false }
        }
    }

    /// What has some paths; `nil` where nothing has it, or its directory is not there. A path that leads through a link or a
    /// file has something else.
    func entries(at paths: [String]) throws(CommandFailure) -> [FileSurvey.Entry?] {
        let base: OpenFolder
        do throws(OpenFolder.Problem) {
            base = try OpenFolder(at: root)
        } catch {
            // Before the first download the directory is not there.
            guard error.isMissing else { throw failure(error) }
            return paths.map { _ in nil }
        }
        var latest: (path: String, folder: Result<OpenFolder, OpenFolder.Problem>)?
        return paths.map { path in
            let (directory, name) = MirrorPath.split(path)
            let known = latest.flatMap { $0.path.hasSameOctets(as: directory) ? $0.folder : nil }
            let folder = known ?? Result { () throws(OpenFolder.Problem) in try base.folder(at: directory) }
            latest = (directory, folder)
            return Self.entry(name, in: folder)
        }
    }

    /// What has a path; `nil` where nothing has it, also if a file is in the place of a directory above it.
    ///
    /// - Throws: ``OpenFolder/Problem`` if a link is in the place of such a directory: behind it there may be a file.
    func entry(at path: String) throws(OpenFolder.Problem) -> FileSurvey.Entry? {
        do throws(OpenFolder.Problem) {
            let (parent, name) = try openParent(of: path)
            return try parent.status(of: name).map { Self.entry($0) }
        } catch {
            if error.isMissing { return nil }
            guard error.isNoDirectory, try isBelowFile(path) else { throw error }
            return nil
        }
    }

    /// Whether a file, and no link, is in the place of a directory above a path.
    private func isBelowFile(_ path: String) throws(OpenFolder.Problem) -> Bool {
        for directory in MirrorPath.directories(above: path) {
            let (parent, name) = try openParent(of: directory)
            let kind = try parent.status(of: name).map { Self.entry($0).kind }
            if kind != .directory { return kind == .file }
        }
        return false
    }

    /// What stands for a path that cannot be reached.
    static let unreachable = FileSurvey.Entry(
        identity: FileIdentity(device: 0, inode: 0),
        length: 0,
        kind: .other
    )

    private static func entry(
        _ name: String,
        in folder: Result<OpenFolder, OpenFolder.Problem>
    ) -> FileSurvey.Entry? {
        do throws(OpenFolder.Problem) {
            return try folder.get().status(of: name).map { entry($0) }
        } catch {
            return error.isMissing ? nil : unreachable
        }
    }

    private static func entry(_ status: stat) -> FileSurvey.Entry {
        let kind: FileSurvey.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        return FileSurvey.Entry(
            identity: FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)),
            length: kind == .file ? Int64(status.st_size) : 0,
            kind: kind,
            modified: modified(status)
        )
    }

    /// When something was last modified, in nanoseconds since 1970; `nil` if that is out of range.
    private static func modified(_ status: stat) -> Int64? {
        FileTime.nanoseconds(Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec))
    }

    // MARK: Changing

    /// Makes a directory in one that is there.
    ///
    /// - Returns: whether it was not there.
    func makeDirectory(_ path: String) throws(OpenFolder.Problem) -> Bool {
        let (parent, name) = try openParent(of: path)
        let isMade = try parent.make(name)
        _ = try parent.folder(at: name)
        return isMade
    }

    /// Removes a file if it is still the placed one.
    ///
    /// - Returns: whether it is gone.
    func remove(_ path: String, ifStill placed: PlacedFile) throws(OpenFolder.Problem) -> Bool {
        let (parent, name) = try openParent(of: path)
        guard let found = Self.entry(name, in: .success(parent)) else { return true }
        guard placed.isAlike(found) else { return false }
        try parent.remove(name)
        return true
    }

    /// Removes a directory if it is empty.
    func removeDirectory(_ path: String) throws(OpenFolder.Problem) {
        do throws(OpenFolder.Problem) {
            let (parent, name) = try openParent(of: path)
            try parent.removeFolder(name)
        } catch {
            // It has files that are not the mirror's, it is gone, or a link or a file is in its place or on the way.
            guard [ENOTEMPTY, EEXIST, ENOENT, ENOTDIR, ELOOP].contains(error.number) else { throw error }
        }
    }

    /// Lets what was made in directories, or removed from them, survive a power loss.
    ///
    /// - Parameter paths: what was made or removed.
    func synchronize(directoriesOf paths: [String]) throws(CommandFailure) {
        var synchronized: Set<NodeID> = []
        for path in paths where synchronized.insert(NodeID(MirrorPath.split(path).directory)).inserted {
            do throws(OpenFolder.Problem) {
                try openParent(of: path).folder.synchronize()
            } catch {
                // A directory that was removed meanwhile has nothing to lose.
                guard error.isMissing || error.isNoDirectory else { throw failure(error) }
            }
        }
    }

    /// Opens the directory of a path; also returns its last name.
    private func openParent(
        of path: String
    ) throws(OpenFolder.Problem) -> (folder: OpenFolder, name: String) {
        let (directory, name) = MirrorPath.split(path)
        return (try OpenFolder(at: root).folder(at: directory), name)
    }
}

extension PlacedFile {
    /// Whether an entry seems to be this file, unchanged: it has its number, length and time. The device does not count,
    /// because its number may change with a mount.
    func isAlike(_ entry: FileSurvey.Entry) -> Bool {
        entry.kind == .file && entry.identity.inode == identity.inode && entry.length == length
            && (modified == nil || entry.modified == modified)
    }
}
