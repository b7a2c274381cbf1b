import Glibc

/// What is at a path, links followed.
enum FileKind: Hashable, Sendable {
    case file, directory, pipeOrSocket, nullDevice, device

    /// The kind of what is at a path; `nil` if nothing is.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: self = .file
        case S_IFDIR: self = .directory
        case S_IFIFO, S_IFSOCK: self = .pipeOrSocket
        default:
            var null = stat()
            let isNull = stat("/dev/null", &null) == 0 && status.st_rdev == null.st_rdev
            self = isNull ? .nullDevice : .device
        }
    }
}
