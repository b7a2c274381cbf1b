package import Ferry

/// A file that `ferry verify` checks.
package enum FileToVerify: Hashable, Sendable {
    /// The file of this transfer.
    case ofTransfer(TransferID)
    /// The file that a transfer has saved under this path. The transfer knows its digest.
    case saved(String)
    /// Any file under this path. Its digest is given, so no store is needed.
    case any(String)

    /// Reads a word of the command line. A number is the ID of a transfer; `./1` is a file.
    ///
    /// - Parameter hasDigest: whether a digest is given, or a list of digests.
    package init(word: String, hasDigest: Bool) {
        if let id = TransferID(word) {
            self = .ofTransfer(id)
        } else {
            self = hasDigest ? .any(word) : .saved(word)
        }
    }

    /// The path of a file for which no store is needed; `nil` for any other.
    package var anyPath: String? {
        if case .any(let path) = self { path } else { nil }
    }

    /// The place of a file that exists. Symbolic links are followed.
    ///
    /// - Throws: ``CommandFailure`` with status 15 if nothing has this path.
    package static func place(
        of path: String,
        _ environment: ProcessEnvironment
    ) throws(CommandFailure) -> FilePlace {
        let expanded = FilePath.expandingTilde(path, home: environment.home)
        guard FilePath.exists(expanded, in: environment.workingDirectory) else {
            throw .cannotOpen("\(QuotedWord(path)) does not exist.")
        }
        let (directory, name) = FilePath.split(
            FilePath.absolute(expanded, in: environment.workingDirectory)
        )
        do {
            return FilePlace(directory: directory, name: try FileName(userGiven: name))
        } catch {
            throw .usage("\(QuotedWord(path)): \(error)")
        }
    }
}
