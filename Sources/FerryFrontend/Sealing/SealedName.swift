package import Ferry

/// The names of sealed files.
package enum SealedName {
    /// The ending of the name of a sealed file.
    package static let ending = ".age"

    /// The name of a file that was sealed under this one; `nil` if the name does not tell.
    package static func opened(_ path: String) -> String? {
        let (_, name) = FilePath.split(path)
        guard name.hasSuffix(ending), name.utf8.count > ending.utf8.count else { return nil }
        return String(path.dropLast(ending.count))
    }

    /// The place of a file that is written; `nil` for standard output.
    ///
    /// - Throws: ``CommandFailure`` with status 64 for an invalid file name.
    package static func place(
        _ path: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> FilePlace? {
        if path == "-" || path == "/dev/stdout" { return nil }
        let (directory, name) = FilePath.split(FilePath.expandingTilde(path, home: environment.home))
        do {
            return FilePlace(
                directory: FilePath.absolute(directory, in: environment.workingDirectory),
                name: try FileName(userGiven: name)
            )
        } catch {
            throw .usage("\(QuotedWord(path)): \(error)")
        }
    }
}
