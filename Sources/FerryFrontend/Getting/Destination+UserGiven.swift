import Ferry

extension Destination {
    /// The directory that a path names: one that ends with a slash, or is there. `nil` for any other path.
    static func directory(
        userGiven path: String,
        in directory: String,
        _ environment: ProcessEnvironment
    ) -> String? {
        guard path != "-", !path.isEmpty else { return nil }
        let given = FilePath.expandingTilde(path, home: environment.home)
        guard given.hasSuffix("/") || FilePath.isDirectory(given, in: directory) else { return nil }
        return FilePath.absolute(given, in: directory)
    }

    /// The destination for a path given with `-o` or `out=`, relative to a directory. Without a path, it is the
    /// directory. A path that names a directory leaves the name to the server, as with `cp`.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an invalid file name.
    init(
        userGiven path: String?,
        in directory: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) {
        guard let path else {
            self = .file(directory: directory, name: nil)
            return
        }
        if path == "-" || path == "/dev/stdout" {
            self = .standardOutput
            return
        }
        if let folder = Self.directory(userGiven: path, in: directory, environment) {
            self = .file(directory: folder, name: nil)
            return
        }
        let (parent, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        guard !name.isEmpty else {
            throw .usage("-o must name a file or a directory.")
        }
        do {
            self = .file(
                directory: FilePath.absolute(parent, in: directory),
                name: try FileName(userGiven: name)
            )
        } catch {
            throw .usage(error.description)
        }
    }
}
