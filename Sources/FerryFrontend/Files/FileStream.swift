import Glibc

/// An open file or pipe, read from its beginning, part by part.
final class FileStream {
    /// Type and permissions, as `stat(2)` has them.
    let mode: UInt32
    /// The user ID of the owner.
    let owner: UInt32
    /// The length in bytes of a regular file.
    let length: Int64
    /// The offset at which reading began; `nil` if this is not a regular file.
    private let start: off_t?

    /// The file itself.
    let file: OpenFile
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)

    /// Opens the file at `path`; `-` is standard input. Waits for the writer of a pipe, but only if pipes are accepted.
    ///
    /// - Parameter followsLink: whether a symbolic link in the place of the file is followed.
    init(
        _ path: String,
        from source: FileReader.Source,
        followsLink: Bool = true
    ) throws(FileReader.Problem) {
        let isInput = path == "-"
        let descriptor = isInput ? 0 : try Self.open(path, from: source, followsLink: followsLink)
        var status = stat()
        let problem: FileReader.Problem? =
            fstat(descriptor, &status) == 0
            ? Self.problem(descriptor, status, source) : .system(errno)
        if let problem {
            if !isInput { close(descriptor) }
            throw problem
        }
        file = OpenFile(descriptor, closesAtEnd: !isInput)
        mode = status.st_mode
        owner = status.st_uid
        length = Int64(status.st_size)
        start = status.st_mode & S_IFMT == S_IFREG ? lseek(descriptor, 0, SEEK_CUR) : nil
    }

    /// Whether it is a regular file.
    var isRegularFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }

    /// The next part; empty at the end.
    func next() throws(FileReader.Problem) -> ArraySlice<UInt8> {
        while true {
            let count = read(file.descriptor, &chunk, chunk.count)
            if count >= 0 { return chunk[..<count] }
            guard errno == EINTR else { throw .system(errno) }
        }
    }

    /// A value that differs after a regular file was written to.
    struct Version: Hashable, Sendable {
        private let length: off_t
        private let seconds: Int
        private let nanoseconds: Int

        fileprivate init(_ status: stat) {
            length = status.st_size
            (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        }
    }

    /// The present version of a regular file; `nil` if this is not a regular file.
    func version() throws(FileReader.Problem) -> Version? {
        guard start != nil else { return nil }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw .system(errno) }
        return Version(status)
    }

    /// Goes back to where reading began. This must be a regular file.
    func rewind() throws(FileReader.Problem) {
        guard let start else { throw .system(ESPIPE) }
        guard lseek(file.descriptor, start, SEEK_SET) >= 0 else { throw .system(errno) }
    }

    private static func open(
        _ path: String,
        from source: FileReader.Source,
        followsLink: Bool
    ) throws(FileReader.Problem) -> Int32 {
        // Without O_NONBLOCK, opening a FIFO in the place of a file would block.
        let wait = source == .file ? O_NONBLOCK : 0
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | wait | (followsLink ? 0 : O_NOFOLLOW)
        while true {
            let descriptor = Glibc.open(path, flags)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw .system(errno) }
        }
    }

    /// Why an open file is not accepted; `nil` if it is.
    private static func problem(
        _ descriptor: Int32,
        _ status: stat,
        _ source: FileReader.Source
    ) -> FileReader.Problem? {
        switch FileKind(status) {
        case .file, .nullDevice: nil
        case .directory: .system(EISDIR)
        case .pipeOrSocket: source == .stream ? nil : .pipe
        case .device: source == .stream && isatty(descriptor) == 1 ? nil : .device
        }
    }
}
