import Glibc

/// Reads small files whole.
enum FileReader {
    /// What may be behind a path.
    enum Source: Hashable, Sendable {
        /// A regular file, or the null device, which is an empty one.
        case file
        /// Also what gives its bytes only once: a pipe, a socket or a terminal.
        case stream
    }

    /// What is wrong with a file.
    enum Problem: Error, Hashable, Sendable {
        /// The kernel's number.
        case system(Int32)
        /// It is a device, which may never end.
        case device
        /// It is a pipe or the like where a file is needed.
        case pipe
        /// It was written to while it was read.
        case changed
        /// It can be read only once, and its bytes could not be kept in this directory.
        case notKept(directory: String, Int32)

        /// The reason, to follow a colon.
        var reason: String {
            switch self {
            case .system(let number): String(cString: strerror(number))
            case .device: "It is a device, not a file"
            case .pipe: "It is a pipe, and a file is needed"
            case .changed: "It changed while it was read"
            case .notKept(let directory, let number):
                "It can be read only once, and its bytes could not be kept in \(directory): \(String(cString: strerror(number)))"
            }
        }

        /// Whether the disk for bytes that are kept, or the quota on it, is full.
        var isDiskFull: Bool {
            if case .notKept(_, let number) = self { number == ENOSPC || number == EDQUOT } else { false }
        }

        /// Whether there is nothing of that name.
        var isAbsent: Bool { self == .system(ENOENT) || self == .system(ENOTDIR) }
    }

    /// A file's bytes and what tells who may read it.
    struct Contents: Sendable {
        var bytes: [UInt8]
        var mode: UInt32
        var owner: UInt32

        /// The bytes as text; what is not UTF-8 is replaced.
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Reads the file at `path`, or its beginning when it is longer than `limit` bytes; `-` is standard input.
    static func read(
        _ path: String,
        atMost limit: Int,
        from source: Source = .stream
    ) throws(Problem) -> Contents {
        let stream = try FileStream(path, from: source)
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let part = try stream.next()
            if part.isEmpty { break }
            bytes += part.prefix(limit - bytes.count)
        }
        return Contents(bytes: bytes, mode: stream.mode, owner: stream.owner)
    }

    /// Checks that there is a regular file that this process may read.
    ///
    /// - Returns: its length in bytes.
    static func check(_ path: String) throws(Problem) -> Int64 {
        try FileStream(path, from: .file).length
    }

    /// The directory that this process is in.
    enum WorkingDirectory: Hashable, Sendable {
        case path(String)
        case notUTF8
        case gone
    }

    /// The directory that this process is in.
    static func workingDirectory() -> WorkingDirectory {
        guard let pointer = getcwd(nil, 0) else { return .gone }
        defer { free(pointer) }
        return String(validatingCString: pointer).map { .path($0) } ?? .notUTF8
    }
}
