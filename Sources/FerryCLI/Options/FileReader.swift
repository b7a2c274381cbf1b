import Glibc

/// Reads small files whole.
enum FileReader {
    /// What is wrong with a file.
    struct Problem: Error, Hashable, Sendable {
        /// The kernel's number.
        var errno: Int32

        /// The reason, in the words of the C library.
        var reason: String { String(cString: strerror(errno)) }
    }

    /// A file's bytes and what tells who may read it.
    struct Contents: Sendable {
        var bytes: [UInt8]
        var mode: UInt32
        var owner: UInt32

        /// The bytes as text; what is not UTF-8 is replaced.
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// The most bytes that are read of a file: a list of a million long URLs fits, a device that never ends does
    /// not fill the memory.
    static let bound = 1 << 30

    /// Reads the file at `path`, or its beginning when it is longer than `limit` bytes; `-` is standard input.
    static func read(_ path: String, atMost limit: Int = bound) throws(Problem) -> Contents {
        let descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Problem(errno: errno) }
        defer { if descriptor != 0 { close(descriptor) } }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Problem(errno: errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw Problem(errno: EISDIR) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw Problem(errno: errno)
            }
            bytes += chunk[..<count]
        }
        return Contents(
            bytes: bytes,
            mode: status.st_mode,
            owner: status.st_uid
        )
    }

    /// Whether there is a file that this process may read.
    static func check(_ path: String) throws(Problem) {
        guard access(path, R_OK) == 0 else { throw Problem(errno: errno) }
    }

    /// The directory that this process is in.
    static func workingDirectory() -> String? {
        guard let pointer = getcwd(nil, 0) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }
}
