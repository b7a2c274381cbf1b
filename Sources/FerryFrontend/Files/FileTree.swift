import Glibc

/// The regular files below a directory. Links are not followed, so nothing outside of it is among them.
struct FileTree {
    /// Their paths below the directory, in the order of their bytes.
    private(set) var files: [String] = []
    /// What is there besides files and directories: its path below the directory, and what it is.
    private(set) var others: [(path: String, kind: String)] = []

    /// The largest number of files, as of the downloads of a list.
    private static let most = 1_000_000

    /// Reads a directory and all that is below it.
    ///
    /// - Throws: ``CommandFailure`` with status 15 for a directory that cannot be read: without it, files would be missing
    ///   and no one would know.
    init(_ directory: String) throws(CommandFailure) {
        var waiting = [""]
        while let folder = waiting.popLast() {
            let path = folder.isEmpty ? directory : "\(directory)/\(folder)"
            for name in try Self.names(in: path, mayBeLink: folder.isEmpty) {
                let below = folder.isEmpty ? name.text : "\(folder)/\(name.text)"
                guard name.isUTF8 else {
                    others.append((below, "has a name that is not UTF-8"))
                    continue
                }
                var status = stat()
                guard lstat("\(directory)/\(below)", &status) == 0 else {
                    // It was removed meanwhile.
                    if errno == ENOENT { continue }
                    throw Self.unreadable("\(directory)/\(below)", errno)
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: waiting.append(below)
                case S_IFREG: files.append(below)
                case S_IFLNK: others.append((below, "is a symbolic link"))
                default: others.append((below, "is not a regular file"))
                }
            }
            guard files.count <= Self.most else {
                throw .usage("\(QuotedWord(directory)) has more than \(Self.most) files.")
            }
        }
        files.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        others.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The names in one directory.
    private static func names(
        in path: String,
        mayBeLink: Bool
    ) throws(CommandFailure) -> [(text: String, isUTF8: Bool)] {
        // A directory below may have become a link since it was looked at.
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (mayBeLink ? 0 : O_NOFOLLOW))
        guard file >= 0 else { throw unreadable(path, errno) }
        guard let stream = fdopendir(file) else {
            let number = errno
            close(file)
            throw unreadable(path, number)
        }
        defer { closedir(stream) }
        var names: [(text: String, isUTF8: Bool)] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw unreadable(path, errno) }
                return names
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let text = String(validating: bytes, as: UTF8.self)
            guard text != ".", text != ".." else { continue }
            names.append((text ?? String(decoding: bytes, as: UTF8.self), text != nil))
        }
    }

    private static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
        .cannotOpen(
            "Cannot read \(QuotedWord(path)): \(FileReader.Problem.system(number).reason). Nothing was sent."
        )
    }
}
