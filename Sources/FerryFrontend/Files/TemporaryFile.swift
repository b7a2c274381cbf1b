import Glibc

/// Files without a name, which are gone when they are closed.
package enum TemporaryFile {
    /// No file could be made.
    package struct Problem: Error, Hashable, Sendable {
        /// The kernel's error number.
        let number: Int32
    }

    /// Creates a file, and removes its name at once.
    ///
    /// - Returns: its descriptor, which no other program inherits. The caller closes it.
    package static func open(in directory: String) throws(Problem) -> Int32 {
        // The last six characters are replaced.
        var path = Array("\(directory)/ferry-\(String(repeating: "X", count: 6))".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Problem(number: errno) }
        guard unlink(path) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            let number = errno
            close(descriptor)
            throw Problem(number: number)
        }
        return descriptor
    }
}
