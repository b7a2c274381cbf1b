import FerryCore

/// The file actions that are short enough to run within the loop.
extension ActionPerformer {
    mutating func touchFiles(_ action: DownloadMachine.Action) async {
        let part = part
        let files = seams.files
        switch action {
        case .survey(let place):
            await storage(.survey) { () throws(StorageProblem) in .surveyed(try await files.survey(place)) }
        case .createPart(let place):
            await openPart { () throws(StorageProblem) in try await files.createPart(at: place) }
        case .namePart:
            await storage(.name) { () throws(StorageProblem) in
                try await part.orDefect().takeName()
                return .partNamed
            }
        case .openPart(let place, let identity):
            await openPart { () throws(StorageProblem) in
                try await files.openPart(at: place, identity: identity)
            }
        case .replacePart(let place, let identity):
            await openPart { () throws(StorageProblem) in
                try await Self.replacement(of: part, at: place, identity, in: files)
            }
        case .trim(let length):
            await storage(.prepare) { () throws(StorageProblem) in
                try await part.orDefect().cut(behind: length)
                return .trimmed
            }
        case .reserve(let length):
            await storage(.prepare) { () throws(StorageProblem) in
                try await part.orDefect().reserve(length)
                return .reserved
            }
        case .publish(let name, let replacing):
            await storage(.publish) { () throws(StorageProblem) in
                .published(modified: try await part.orDefect().publish(as: name, replacing: replacing))
            }
        case .synchronizeDirectory(let place):
            await storage(.publish) { () throws(StorageProblem) in
                try await files.synchronizeDirectory(of: place)
                return .directorySynchronized
            }
        case .removePart(let place, let identity):
            await storage(.remove) { () throws(StorageProblem) in
                try await files.removePart(at: place, identity: identity)
                return .partRemoved
            }
        case .connect, .connectBeside, .shorten, .sample, .recall, .receive, .decode, .disconnect, .record,
            .synchronize, .digest, .digestPieces, .inspect, .remember, .note,
            .finish:
            break
        }
    }

    /// An empty part file: the present one if it is empty, and so has no bytes of any version; otherwise a new one in
    /// its place.
    private static func replacement(
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

    private mutating func openPart(
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

    private func storage(
        _ operation: DownloadMachine.StorageOperation,
        _ work: () async throws(StorageProblem) -> DownloadMachine.Event
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
