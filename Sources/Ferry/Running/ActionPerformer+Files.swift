import FerryCore

/// The file actions that are short enough to run within the loop.
extension ActionPerformer {
    /// An empty part file: the present one if it is empty, and so has no bytes of any version; otherwise a new one in
    /// its place.
    static func replacement(
        of part: (any PartFile)?,
        at place: FilePlace,
        _ identity: FileIdentity,
        in files: any PartFileSystem
    ) async throws(StorageProblem) -> any PartFile {
        if let part, let entry = try await files.survey(place).part, entry.length == 0,
            entry.identity.isSameFile(as: identity)
        {
            return part
        }
        try await files.removePart(at: place, identity: identity)
        // While the old file is open, the new one cannot get its inode number. It is closed with its last use,
        // because a sync of it may be under way.
        return try await files.createPart(at: place)
    }

    mutating func openPart(
        _ open: () async throws(StorageProblem) -> any PartFile
    ) async {
        do {
            let part = try await open()
            self.part = part
            runner.feed.yield(.event(.partReady(part.identity, isNamed: part.isNamed)))
        } catch {
            runner.feed.yield(.event(.storageFailed(.prepare, error.problem)))
        }
    }

    func storage(
        _ operation: DownloadEvent.StorageOperation,
        _ work: () async throws(StorageProblem) -> DownloadEvent
    ) async {
        do {
            runner.feed.yield(.event(try await work()))
        } catch {
            runner.feed.yield(.event(.storageFailed(operation, error.problem)))
        }
    }
}

extension (any PartFile)? {
    /// The file. A machine that orders an action on a file that is not open has a defect, which must not pass for
    /// success.
    func orDefect() throws(StorageProblem) -> any PartFile {
        guard let self else {
            throw StorageProblem(.transient(.internalFault, "A file was used before it was open."), errno: 0)
        }
        return self
    }
}
