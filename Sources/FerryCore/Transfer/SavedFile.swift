/// How to look up a finished file.
package enum SavedFile: Hashable, Sendable {
    /// The path where it was saved: the directory as in the transfer, and the final name.
    case path(String)
    /// The digest that it was checked against.
    case digest(Checksum)
}

extension Transfer {
    /// The path under which a completed transfer saved its file; `nil` for any other, and for a stream.
    package var savedPath: String? {
        guard state == .completed, let download,
            case .file(let directory, let given) = download.specification.destination,
            let name = download.progress.name ?? given
        else { return nil }
        return FilePlace(directory: directory, name: name).path
    }

    /// The digest that a completed transfer's file was checked against; `nil` for any other transfer.
    package var savedDigest: Checksum? {
        state == .completed ? download?.expectedDigest : nil
    }

    /// Whether this is a completed transfer that saved that file.
    package func saved(_ file: SavedFile) -> Bool {
        switch file {
        case .path(let path): savedPath.map { $0.utf8.elementsEqual(path.utf8) } ?? false
        case .digest(let digest): savedDigest == digest
        }
    }
}
