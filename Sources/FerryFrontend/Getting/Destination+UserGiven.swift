import Ferry

extension Destination {
    /// The destination for a path given with `-o` or `out=`, relative to a directory. Without a path, it is the
    /// directory.
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
        let (parent, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        guard !name.isEmpty else {
            throw .usage(
                "-o must name a file, but \(path) names a directory.",
                hint: "Use -d for a directory."
            )
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
