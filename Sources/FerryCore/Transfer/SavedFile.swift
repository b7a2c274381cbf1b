/// How to look up a finished file.
package enum SavedFile: Hashable, Sendable {
    /// The path where it was saved: the directory as in the transfer, and the final name.
    case path(String)
    /// The digest that it was checked against.
    case digest(Checksum)
}

extension Transfer {
    /// The path under which a completed transfer saved its file; `nil` for any other, for a stream, and for anything but
    /// a download.
    package var savedPath: String? {
        state == .completed ? download?.place?.path : nil
    }

    /// The digest that a completed transfer's file was checked against; `nil` for any other transfer, and for anything
    /// but a download.
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
