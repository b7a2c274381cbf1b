import Glibc

/// The environment that a process gets from its parent.
package struct ProcessEnvironment: Sendable {
    /// The variables.
    package var variables: [String: String]
    /// The base of relative paths.
    package var workingDirectory: String
    /// The user's home directory; `nil` if there is none.
    package var home: String?

    /// The environment of this process, with these variables.
    ///
    /// - Throws: `CommandFailure` when the working directory was removed, or its path is not UTF-8: relative paths
    ///   then have no base.
    package static func current(_ variables: [String: String]) throws(CommandFailure) -> ProcessEnvironment {
        let workingDirectory: String
        switch FileReader.workingDirectory() {
        case .path(let path): workingDirectory = path
        case .notUTF8:
            throw .usage(
                "The path of the current directory is not UTF-8; nothing was done.",
                hint: "`cd` to another one, and repeat the command."
            )
        case .gone:
            throw CommandFailure(
                .cannotCreate,
                code: "no_working_directory",
                "The current directory no longer exists; nothing was done.",
                hint: "`cd` to an existing one, and repeat the command."
            )
        }
        return ProcessEnvironment(
            variables: variables,
            workingDirectory: workingDirectory,
            home: home(in: variables)
        )
    }

    /// The words of this process's command as raw bytes, the program's name first.
    package static func currentWords() -> [[UInt8]] {
        (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0].map { bytes(of: $0) } }
    }

    /// The variables of this process, with their values as raw bytes.
    package static func currentEntries() -> [(name: String, value: [UInt8])] {
        var entries: [(name: String, value: [UInt8])] = []
        var pointer = environ
        while let entry = pointer.pointee {
            let bytes = bytes(of: entry)
            if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
                let name = String(decoding: bytes[..<equals], as: UTF8.self)
                entries.append((name, Array(bytes[(equals + 1)...])))
            }
            pointer += 1
        }
        return entries
    }

    /// The variables of this process.
    package static func currentVariables() -> [String: String] {
        var variables: [String: String] = [:]
        for entry in currentEntries() { variables[entry.name] = String(decoding: entry.value, as: UTF8.self) }
        return variables
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
    }

    private static func home(in variables: [String: String]) -> String? {
        variables["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? homeOfUser()
    }

    /// The absolute path that a user means: `~` is the home directory, and a relative path is below the working directory.
    package func absolutePath(_ path: String) -> String {
        FilePath.absolute(FilePath.expandingTilde(path, home: home), in: workingDirectory)
    }

    /// The directory for temporary files.
    package var temporaryDirectory: String { self["TMPDIR"] ?? "/tmp" }

    /// The value of a variable that is set and not empty.
    package subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func homeOfUser() -> String? {
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
        // A path that is not UTF-8 cannot be used, and must not turn into another path.
        let home = String(validatingCString: directory) ?? ""
        return home.isEmpty ? nil : home
    }
}
