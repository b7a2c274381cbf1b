package import Ferry

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
            switch FileKind(at: place.path) {
            case nil, .file, .directory: self = .file(directory: directory, name: name)
            case .nullDevice: self = .nowhere
            case .pipeOrSocket, .device:
                throw .usage(
                    "\(TerminalText.safe(path)) is not a file; `ferry send` saves a response only in one.",
                    hint: "Without -o, --wait writes it to standard output, which a shell can redirect."
                )
            }
        case .file, .stream:
            throw .usage(
                "-o needs the name of a file.",
                hint: "--wait writes the response to standard output."
            )
        }
    }
}
