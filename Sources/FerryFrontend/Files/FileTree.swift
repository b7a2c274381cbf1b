import Glibc

/// The regular files below a directory. Links are not followed, so nothing outside of it is among them.
struct FileTree {
    /// Their paths below the directory, in the order of their bytes.
    private(set) var files: [String] = []
    /// What is there besides files and directories: its path below the directory, and what it is.
    private(set) var others: [(path: String, kind: String)] = []
    /// The regular files and directories whose names are not UTF-8, with U+FFFD for what is no text. Nothing below these
    /// directories is read.
    private(set) var withoutText: [(path: String, isDirectory: Bool)] = []

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
                if let kind = name.kindWithoutText {
                    switch kind {
                    case S_IFDIR, S_IFREG: withoutText.append((below, kind == S_IFDIR))
                    default: others.append((below, "has a name that is not UTF-8"))
                    }
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
        withoutText.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The names in one directory; with the kind of what has a name that is not UTF-8.
    private static func names(
        in path: String,
        mayBeLink: Bool
    ) throws(CommandFailure) -> [(text: String, kindWithoutText: mode_t?)] {
        // A directory below may have become a link since it was looked at.
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (mayBeLink ? 0 : O_NOFOLLOW))
        guard file >= 0 else { throw unreadable(path, errno) }
        guard let stream = fdopendir(file) else {
            let number = errno
            close(file)
            throw unreadable(path, number)
        }
        defer { closedir(stream) }
        var names: [(text: String, kindWithoutText: mode_t?)] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw unreadable(path, errno) }
                return names
            }
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let text = String(validating: bytes, as: UTF8.self)
            guard text != ".", text != ".." else { continue }
            if let text {
                names.append((text, nil))
            } else {
                names.append((String(decoding: bytes, as: UTF8.self), kind(of: bytes, in: stream)))
            }
        }
    }

    /// The kind of a name in a directory. What cannot be looked at counts as a file, so that it is not lost without a word.
    private static func kind(of name: [UInt8], in directory: OpaquePointer) -> mode_t {
        var status = stat()
        let path = name.map { CChar(truncatingIfNeeded: $0) } + [0]
        guard fstatat(dirfd(directory), path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return S_IFREG }
        return status.st_mode & S_IFMT
    }

    private static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
        .cannotOpen(
            "Cannot read \(QuotedWord(path)): \(FileReader.Problem.system(number).reason). Nothing was sent."
        )
    }
}
