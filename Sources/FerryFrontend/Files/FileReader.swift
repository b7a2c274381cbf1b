import Glibc

/// Reads small files whole.
package enum FileReader {
    /// What kinds of file to accept.
    package enum Source: Hashable, Sendable {
        /// A regular file, or the null device, which counts as an empty one.
        case file
        /// Also sources that can be read only once: a pipe, a socket or a terminal.
        case stream
    }

    /// Why a file cannot be used.
    package enum Problem: Error, Hashable, Sendable {
        /// The kernel's error number.
        case system(Int32)
        /// It is a device, which may have no end.
        case device
        /// It is a pipe or socket, but a file is needed.
        case pipe
        /// It changed while it was read.
        case changed
        /// It can be read only once, and its bytes could not be kept in this directory.
        case notKept(directory: String, Int32)

        /// The reason, to follow a colon.
        package var reason: String {
            switch self {
            case .system(let number): String(cString: strerror(number))
            case .device: "It is a device, not a file"
            case .pipe: "It is a pipe, and a file is needed"
            case .changed: "It changed while it was read"
            case .notKept(let directory, let number):
                "It can be read only once, and its bytes could not be kept in \(directory): \(String(cString: strerror(number)))"
            }
        }

        /// Whether the disk for kept bytes, or the quota on it, is full.
        var isDiskFull: Bool {
            if case .notKept(_, let number) = self { number == ENOSPC || number == EDQUOT } else { false }
        }

        /// Whether it is a directory.
        var isDirectory: Bool { self == .system(EISDIR) }

        /// Whether the file does not exist.
        package var isAbsent: Bool { self == .system(ENOENT) || self == .system(ENOTDIR) }
    }

    /// A file's bytes, mode and owner.
    package struct Contents: Sendable {
        package var bytes: [UInt8]
        package var mode: UInt32
        package var owner: UInt32

        /// Whether it belongs to another user, who is not root.
        package var isOfOtherUser: Bool { owner != geteuid() && owner != 0 }
        /// The permissions as `chmod` takes them.
        package var permissions: String { String(mode & 0o777, radix: 8) }
        /// The bytes as text; bytes that are not UTF-8 are replaced.
        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// Reads up to `limit` bytes of the file at `path`; `-` is standard input.
    package static func read(
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

    /// Reads a regular file part by part, until its end or until `body` returns `false`.
    ///
    /// - Parameter followsLink: whether a symbolic link in its place is followed. The directories on the way to it may be links.
    /// - Throws: ``Problem`` when the file cannot be read, and what `body` throws.
    package static func read(
        _ path: String,
        followsLink: Bool = true,
        to body: ([UInt8]) async throws -> Bool
    ) async throws {
        let stream = try FileStream(path, from: .file, followsLink: followsLink)
        while true {
            let part = try stream.next()
            guard !part.isEmpty, try await body(Array(part)) else { return }
        }
    }

    /// Checks that a regular file exists that this process may read.
    ///
    /// - Returns: its length in bytes.
    static func check(_ path: String) throws(Problem) -> Int64 {
        try FileStream(path, from: .file).length
    }

    /// The working directory of this process.
    enum WorkingDirectory: Hashable, Sendable {
        case path(String)
        case notUTF8
        case gone
    }

    /// The working directory of this process.
    static func workingDirectory() -> WorkingDirectory {
        guard let pointer = getcwd(nil, 0) else { return .gone }
        defer { free(pointer) }
        return String(validatingCString: pointer).map { .path($0) } ?? .notUTF8
    }
}

extension CommandFailure {
    /// A file cannot be read.
    ///
    /// - Parameter name: the file, as messages quote it.
    package init(unreadable name: String, _ problem: FileReader.Problem, hint: String? = nil) {
        self = .cannotOpen("Cannot read \(name): \(problem.reason).", hint: hint)
    }
}
