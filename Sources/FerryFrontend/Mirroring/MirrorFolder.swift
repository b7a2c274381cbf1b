import Ferry
import Glibc

/// The directory of a mirror on this machine. No link below it is followed (I6).
struct MirrorFolder {
    /// Why something in it could not be used.
    struct Obstacle: Error, Hashable {
        /// The reason.
        let number: Int32

        /// Whether it, or a directory on the way, is not there.
        var isMissing: Bool { number == ENOENT }

        /// The reason in a sentence.
        var reason: String {
            number == ENOTDIR || number == ELOOP
                ? "A link or a file is in the place of a directory." : "\(String(cString: strerror(number)))."
        }

        /// A link or a file is in the place of a directory.
        static let isNoDirectory = Obstacle(number: ENOTDIR)
    }

    /// Its absolute path.
    let root: String

    /// Where a file of the mirror is.
    func place(of path: String) throws(FileName.Invalid) -> FilePlace {
        let (directory, name) = MirrorPath.split(path)
        return FilePlace(directory: absolute(directory), name: try FileName(userGiven: name))
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
        if !isNew, errno != EEXIST { throw failure(errno) }
        close(try opened())
        if isNew, let number = FolderTree.synchronizeDirectory(of: root) { throw failure(number) }
        return isNew
    }

    /// Removes the directory itself, if nothing is in it.
    func removeIfEmpty() { rmdir(root) }

    private func opened() throws(CommandFailure) -> Int32 {
        let base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw failure(errno) }
        return base
    }

    private func failure(_ number: Int32) -> CommandFailure {
        CommandFailure(
            .cannotCreate,
            code: "cannotCreate",
            "Cannot save into \(QuotedWord(root)): \(String(cString: strerror(number)))."
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
        var status = stat()
        // Before the first download the directory is not there.
        if stat(root, &status) != 0, errno == ENOENT { return paths.map { _ in nil } }
        let base = try opened()
        defer { close(base) }
        var parent: (path: String, descriptor: Int32, problem: Int32)?
        defer { if let parent, parent.descriptor >= 0 { close(parent.descriptor) } }
        return paths.map { path in
            let (directory, name) = MirrorPath.split(path)
            if parent.map({ !$0.path.utf8.elementsEqual(directory.utf8) }) ?? true {
                if let parent, parent.descriptor >= 0 { close(parent.descriptor) }
                let descriptor = Self.descend(to: directory, from: base)
                parent = (directory, descriptor, errno)
            }
            guard let parent else { return nil }
            guard parent.descriptor >= 0 else { return parent.problem == ENOENT ? nil : Self.unreachable }
            return Self.entry(name, in: parent.descriptor)
        }
    }

    /// What stands for a path that cannot be reached.
    static let unreachable = FileSurvey.Entry(
        identity: FileIdentity(device: 0, inode: 0),
        length: 0,
        kind: .other
    )

    private static func entry(_ name: String, in directory: Int32) -> FileSurvey.Entry? {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            return errno == ENOENT ? nil : unreachable
        }
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

    /// When something was last modified, in nanoseconds since 1970; `nil` if that is out of range, as after the year 2262.
    private static func modified(_ status: stat) -> Int64? {
        let (seconds, overflow) = Int64(status.st_mtim.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflow) = seconds.addingReportingOverflow(Int64(status.st_mtim.tv_nsec))
        return overflow || sumOverflow ? nil : sum
    }

    private static func descend(to path: String, from base: Int32) -> Int32 {
        FolderTree.descend(to: path == MirrorPath.top ? "" : path, from: base)
    }

    // MARK: Changing

    /// Makes a directory in one that is there.
    ///
    /// - Returns: whether it was not there.
    func makeDirectory(_ path: String) throws(Obstacle) -> Bool {
        try within(path) { name, parent in
            let isMade = mkdirat(parent, name, 0o777) == 0
            if !isMade, errno != EEXIST { return .failure(errno) }
            let folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { return .failure(errno) }
            close(folder)
            return .success(isMade)
        }
    }

    /// Removes a file if it is still the placed one.
    ///
    /// - Returns: whether it is gone.
    func remove(_ path: String, ifStill placed: PlacedFile) throws(Obstacle) -> Bool {
        try within(path) { name, parent in
            guard let found = Self.entry(name, in: parent) else { return .success(true) }
            guard placed.isAlike(found) else { return .success(false) }
            guard unlinkat(parent, name, 0) == 0 else { return .failure(errno) }
            return .success(true)
        }
    }

    /// Removes a directory if it is empty.
    func removeDirectory(_ path: String) throws(Obstacle) {
        _ = try within(path) { name, parent in
            guard unlinkat(parent, name, AT_REMOVEDIR) == 0 else {
                // It has files that are not the mirror's, it is gone, or a link or a file is in its place.
                return [ENOTEMPTY, EEXIST, ENOENT, ENOTDIR].contains(errno)
                    ? .success(false) : .failure(errno)
            }
            return .success(true)
        }
    }

    /// Lets what was made in directories, or removed from them, survive a power loss.
    ///
    /// - Parameter paths: what was made or removed.
    func synchronize(directoriesOf paths: [String]) throws(CommandFailure) {
        var synchronized: Set<NodeID> = []
        for path in paths where synchronized.insert(NodeID(MirrorPath.split(path).directory)).inserted {
            do throws(Obstacle) {
                _ = try within(path) { _, parent in
                    FolderTree.synchronize(parent).map(Outcome.failure) ?? .success(true)
                }
            } catch {
                // A directory that was removed meanwhile has nothing to lose.
                if ![ENOENT, ENOTDIR, ELOOP].contains(error.number) { throw failure(error.number) }
            }
        }
    }

    private enum Outcome {
        case success(Bool)
        case failure(Int32)
    }

    /// Runs `body` with the last name of a path and its open directory.
    private func within(_ path: String, _ body: (String, Int32) -> Outcome) throws(Obstacle) -> Bool {
        let base = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard base >= 0 else { throw Obstacle(number: errno) }
        defer { close(base) }
        let (directory, name) = MirrorPath.split(path)
        let parent = Self.descend(to: directory, from: base)
        guard parent >= 0 else { throw Obstacle(number: errno) }
        defer { close(parent) }
        switch body(name, parent) {
        case .success(let result): return result
        case .failure(let number): throw Obstacle(number: number)
        }
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
