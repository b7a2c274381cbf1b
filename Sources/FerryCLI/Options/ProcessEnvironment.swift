import Glibc

/// What a process is given by the one that starts it.
struct ProcessEnvironment: Sendable {
    /// The variables.
    var variables: [String: String]
    /// The directory that relative paths begin at.
    var workingDirectory: String
    /// The user's home directory, when there is one.
    var home: String?

    /// The environment of this process, which has these variables.
    ///
    /// - Throws: `CommandFailure` when the directory that it is in has been removed: a relative path begins nowhere then.
    static func current(_ variables: [String: String]) throws(CommandFailure) -> ProcessEnvironment {
        guard let workingDirectory = FileReader.workingDirectory() else {
            throw CommandFailure(
                .cannotCreate,
                code: "no_working_directory",
                "The directory that you are in is not there any more; nothing was done.",
                hint: "`cd` to one that is there, and give the command again."
            )
        }
        return ProcessEnvironment(
            variables: variables,
            workingDirectory: workingDirectory,
            home: home(in: variables)
        )
    }

    /// The variables of this process.
    static func currentVariables() -> [String: String] {
        var variables: [String: String] = [:]
        var pointer = environ
        while let entry = pointer.pointee {
            let bytes = UnsafeBufferPointer(start: entry, count: strlen(entry))
            if let equals = bytes.firstIndex(of: CChar(UInt8(ascii: "="))) {
                let name = String(decoding: bytes[..<equals].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                let value = bytes[(equals + 1)...].map { UInt8(bitPattern: $0) }
                variables[name] = String(decoding: value, as: UTF8.self)
            }
            pointer += 1
        }
        return variables
    }

    private static func home(in variables: [String: String]) -> String? {
        variables["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? homeOfUser()
    }

    /// A variable that is set and not empty.
    subscript(_ name: String) -> String? {
        variables[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func homeOfUser() -> String? {
        guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return nil }
        let home = String(cString: directory)
        return home.isEmpty ? nil : home
    }
}
