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
        case .path(let path): savedPath.map { $0.hasSameOctets(as: path) } ?? false
        case .digest(let digest): savedDigest == digest
        }
    }

    /// Whether no bytes were fetched or sent because the server has the version that was saved or sent before.
    package var isUpToDate: Bool {
        guard state == .completed, work.note?.code == .upToDate else { return false }
        return download?.specification.options.updates ?? true
    }

    /// Whether it found the file of an earlier download up to date, so that the record of the earlier one adds nothing to its
    /// own. A record that an application has named, or that has an owner, stays.
    package func confirms(_ earlier: Transfer) -> Bool {
        guard isUpToDate, earlier.id < id, earlier.state == .completed, earlier.claim == nil,
            earlier.type == nil, earlier.tag == nil, earlier.payload == nil,
            // Another UUID was given by an application, which may repeat it.
            earlier.uuid.number == earlier.id,
            let file = download?.progress.part, let former = earlier.download?.progress.part
        else { return false }
        return file.identity.isSameFile(as: former.identity) && file.modified == former.modified
    }
}
