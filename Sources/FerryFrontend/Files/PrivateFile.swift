import Glibc

/// A file of secrets: only its owner can read it, and it is replaced as a whole.
package struct PrivateFile: Hashable, Sendable {
    /// The absolute path.
    package let path: String

    /// Names a file, which need not exist.
    package init(path: String) {
        self.path = path
    }

    /// Whether anything has the name.
    package var isThere: Bool { access(path, F_OK) == 0 }

    /// Checks that the file can probably be written, before anything is done that would be lost otherwise.
    ///
    /// - Throws: ``CommandFailure`` with status 16 if its directory is missing or must not be written, or if the name is
    ///   that of something other than a file.
    package func check() throws(CommandFailure) {
        let (directory, name) = FilePath.split(path)
        guard !name.isEmpty else { throw failure(EISDIR) }
        guard access(directory, W_OK | X_OK) == 0 else { throw failure(errno) }
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR: throw failure(EISDIR)
        // A device or a pipe would be replaced by a file.
        default: throw failure("It is not a file")
        }
    }

    /// Writes the file under another name, with mode 0600. Then replaces an earlier file, which stays as it is until then.
    ///
    /// - Throws: ``CommandFailure`` with status 16, or 9 if the disk is full.
    package func write(_ bytes: [UInt8]) throws(CommandFailure) {
        try check()
        let draft =
            "\(FilePath.split(path).directory)/.ferry-\(String(UInt64.random(in: .min ... .max), radix: 16))"
        let number = Self.write(bytes, to: draft) ?? (rename(draft, path) == 0 ? nil : errno)
        guard let number else { return }
        unlink(draft)
        throw failure(number)
    }

    /// Writes a new file durably.
    ///
    /// - Returns: the kernel's error number; `nil` after success.
    private static func write(_ bytes: [UInt8], to path: String) -> Int32? {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return errno }
        var number: Int32?
        var written = 0
        while written < bytes.count, number == nil {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                written += count
            } else if count == 0 || errno != EINTR {
                number = count == 0 ? EIO : errno
            }
        }
        // A umask cannot make it less private, but unreadable.
        if number == nil, fchmod(file, 0o600) != 0 || fsync(file) != 0 { number = errno }
        if close(file) != 0, number == nil { number = errno }
        return number
    }

    private func failure(_ number: Int32) -> CommandFailure {
        let isFull = number == ENOSPC || number == EDQUOT
        return failure(String(cString: strerror(number)), isFull ? .diskFull : .cannotCreate)
    }

    private func failure(_ reason: String, _ status: ExitStatus = .cannotCreate) -> CommandFailure {
        CommandFailure(
            status,
            code: status == .diskFull ? "diskFull" : "cannotCreate",
            "\(TerminalText.safe(path)) was not written: \(reason)."
        )
    }
}
