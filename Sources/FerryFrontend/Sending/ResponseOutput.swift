package import Ferry
import Glibc

/// Where the body of a response goes by `-o`.
package enum ResponseOutput: Hashable, Sendable {
    /// To standard output, as with `--wait` alone.
    case standardOutput
    /// To no place at all, as `/dev/null` means it.
    case nowhere
    /// Into a file, which gets its name when the response is whole.
    case file(directory: String, name: FileName)

    /// Whether only the process that sends the request can do it.
    package var needsWait: Bool {
        switch self {
        case .standardOutput, .nowhere: true
        case .file: false
        }
    }

    /// Reads the path of `-o`; `nil` without one.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for a directory, a device or a FIFO: a response gets its name when it is
    ///   whole and durable.
    init?(userGiven path: String?, _ environment: ProcessEnvironment) throws(CommandFailure) {
        guard let path else { return nil }
        let destination = try Destination(userGiven: path, in: environment.workingDirectory, environment)
        switch destination {
        case .standardOutput: self = .standardOutput
        case .file(let directory, let name?):
            let place = FilePlace(directory: directory, name: name)
            guard let device = Self.stream(at: place.path) else {
                self = .file(directory: directory, name: name)
                return
            }
            guard device != 0, device == Self.stream(at: "/dev/null") else {
                throw .usage(
                    "\(TerminalText.safe(path)) is not a file; `ferry send` saves a response only in one.",
                    hint: "Without -o, --wait writes it to standard output, which a shell can redirect."
                )
            }
            self = .nowhere
        case .file, .stream:
            throw .usage(
                "-o needs the name of a file.",
                hint: "--wait writes the response to standard output."
            )
        }
    }

    /// The device with a path; 0 for a FIFO or a socket, `nil` for a file, a directory, or nothing.
    private static func stream(at path: String) -> dev_t? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return switch status.st_mode & S_IFMT {
        case S_IFCHR, S_IFBLK: status.st_rdev
        case S_IFIFO, S_IFSOCK: 0
        default: nil
        }
    }
}
