import FerryCore
import Logging

/// The file actions that are short enough to run within the loop.
extension ActionPerformer {
    func survey(_ place: FilePlace, creating: Bool) async {
        var created: Result<any PartFile, StorageProblem>?
        let fetcher = runner.names.take(place.path, for: runner.transfer.id)
        let creating = creating && fetcher == nil
        let body = creating ? bodyAtHand : nil
        if let body { noteArrival(of: body.bytes) }
        await storage(.survey) { files, _ throws(StorageProblem) in
            var survey: FileSurvey
            if creating {
                (survey, created) = try await files.surveyToCreate(place, holding: body?.bytes)
            } else {
                survey = try await files.survey(place)
            }
            survey.isPartClaimed = await isPartClaimed(survey)
            survey.fetcher = fetcher
            survey.keeper = try await keeper(of: survey.final, at: place)
            return .surveyed(survey)
        }
        prepared = created.map { (place, $0, body?.id) }
    }

    /// By how much the time of a file may be behind: FAT counts in steps of two seconds.
    private static let timeStep: Duration = .seconds(-2)

    /// Another transfer that has saved the file since this one was added, or is about to record that. If the user named the file,
    /// it may be replaced, and the answer is `nil`.
    private func keeper(
        of file: FileSurvey.Entry?,
        at place: FilePlace
    ) async throws(StorageProblem) -> TransferID? {
        let (own, specification) = (runner.transfer, runner.work.specification)
        guard specification.replacesUnnamed, let file, file.kind == .file,
            latest.part?.identity.isSameFile(as: file.identity) != true
        else { return nil }
        do throws(StoreError) {
            let saved = try await seams.store.completed(saving: [.path(place.path)]).first ?? nil
            if let saved, saved.id != own.id, let download = saved.download,
                download.progress.part?.identity.isSameFile(as: file.identity) == true
            {
                // The same download, asked for again, replaces its own file.
                let isOther = download.specification.identity != specification.identity
                return isOther && saved.finished.map { $0 > own.added } == true ? saved.id : nil
            }
            // Most files that are to be replaced are older, and a search for each of them would take long.
            let oldest = own.added.advanced(by: Self.timeStep).milliseconds
            let isOlder = file.modified.map { $0 / 1_000_000 < oldest } ?? false
            if isOlder, !specification.options.keepsServerTime { return nil }
            let claimant = try await ClaimSearch(store: seams.store).claimant(
                of: [file],
                besides: own.id,
                // With the server's time, any file may look older. Then only what runs now is looked through, which is little.
                in: isOlder ? [.active] : ClaimSearch.notCompleted,
                lookingThrough: Self.mostLookedThrough
            )
            guard case .transfer(let other) = claimant else { return nil }
            return other.id
        } catch {
            let text = "Whether another transfer has saved \(place.path) could not be looked up: \(error)"
            throw StorageProblem(.transient(.cannotOpen, text), errno: 0)
        }
    }

    /// Maximum transfers that are looked through for a claim on a file that is in the way.
    private static let mostLookedThrough = 5_000

    /// Whether another transfer claims the part file, or may do so.
    private func isPartClaimed(_ survey: FileSurvey) async -> Bool {
        // With `autoRename` the final name gets a number, so the owner of the part file does not matter.
        guard let entry = survey.part, entry.kind == .file, !survey.isPartHeld,
            runner.options.existingFile != .autoRename,
            latest.part?.identity.isSameFile(as: entry.identity) != true
        else { return false }
        do {
            let claimant = try await ClaimSearch(store: seams.store).claimant(
                of: [entry],
                besides: runner.transfer.id,
                lookingThrough: Self.mostLookedThrough
            )
            return if case .none = claimant { false } else { true }
        } catch {
            // The name then counts as taken.
            runner.configuration.logger.warning(
                "The transfers could not be searched for a claim on a part file.",
                metadata: ["error": "\(error)"]
            )
            return true
        }
    }

    func createPart(at place: FilePlace) async {
        if let ready = prepared.take(), ready.place == place {
            return await openPart(at: place, holding: ready.body) { _, _ throws(StorageProblem) in
                try ready.part.get()
            }
        }
        let body = bodyAtHand
        if let body { noteArrival(of: body.bytes) }
        await openPart(at: place, holding: body?.id) { files, _ throws(StorageProblem) in
            try await files.createPart(at: place, holding: body?.bytes)
        }
    }

    func openPart(at place: FilePlace, _ identity: FileIdentity) async {
        let seal = latest.part?.seal
        let isSealed = runner.options.isSealed
        await openPart(at: place, resuming: seal) { files, _ throws(StorageProblem) in
            guard isSealed == (seal != nil) else {
                let text =
                    "\(place.partPath) was begun \(isSealed ? "in clear" : "sealed"). Cancel the transfer and start again."
                throw StorageProblem(.permanent(.refused, text), errno: 0)
            }
            return try await files.openPart(at: place, identity: identity)
        }
    }

    func adopt(at place: FilePlace, _ identity: FileIdentity) async {
        await storage(.prepare) { files, _ throws(StorageProblem) in
            try await files.adopt(at: place, identity: identity)
            return .adopted
        }
    }

    func giveBack(at place: FilePlace, _ identity: FileIdentity, _ adoption: PendingAdoption) async {
        await storage(.remove) { files, _ throws(StorageProblem) in
            try await files.giveBack(at: place, identity: identity, adoption)
            return .partRemoved
        }
    }

    /// Removes the control file of aria2 of an adopted file, which is whole or given up now.
    private static func removeControl(
        of claim: PartFileClaim?,
        at place: FilePlace,
        in files: any PartFileSystem
    ) async throws(StorageProblem) {
        guard let control = claim?.adoption?.control else { return }
        var beside = place
        (beside.name, beside.part) = (control.name, control.name)
        try await files.removePart(at: beside, identity: control.identity)
    }

    func replacePart(at place: FilePlace, _ identity: FileIdentity) async {
        // Each sealed file has keys of its own.
        let isSealed = runner.options.isSealed
        let claim = latest.part
        await openPart(at: place) { files, part throws(StorageProblem) in
            // The user gave the bytes up. The control file says which of them count, so it goes first.
            try await Self.removeControl(of: claim, at: place, in: files)
            return try await Self.replacement(of: isSealed ? nil : part, at: place, identity, in: files)
        }
    }

    func namePart() async {
        let place = runner.work.specification.place(knowing: latest)
        await storage(.name, at: place) { _, part throws(StorageProblem) in
            try await part.orDefect().takeName()
            return .partNamed
        }
    }

    func trim(_ length: Int64) async {
        await storage(.prepare) { _, part throws(StorageProblem) in
            try await part.orDefect().cut(behind: length)
            return .trimmed
        }
    }

    func reserve(_ length: Int64) async {
        await storage(.prepare) { _, part throws(StorageProblem) in
            try await part.orDefect().reserve(length)
            return .reserved
        }
    }

    func publish(as name: FileName, replacing: Bool, dated date: Instant?) async {
        let (claim, place) = (latest.part, runner.work.specification.place(knowing: latest))
        await storage(.publish) { files, part throws(StorageProblem) in
            if let place { try await Self.removeControl(of: claim, at: place, in: files) }
            return .published(
                modified: try await part.orDefect().publish(as: name, replacing: replacing, dated: date)
            )
        }
    }

    func synchronizeDirectory(of place: FilePlace) async {
        await storage(.publish) { files, _ throws(StorageProblem) in
            try await files.synchronizeDirectory(of: place)
            return .directorySynchronized
        }
    }

    func removePart(at place: FilePlace, _ identity: FileIdentity) async {
        await storage(.remove) { files, _ throws(StorageProblem) in
            try await files.removePart(at: place, identity: identity)
            return .partRemoved
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

    /// - Parameter body: the connection whose body a file without a name then holds.
    private func openPart(
        at place: FilePlace,
        resuming seal: PartSeal? = nil,
        holding body: ConnectionID? = nil,
        _ open: (any PartFileSystem, (any PartFile)?) async throws(StorageProblem) -> any PartFile
    ) async {
        written = nil
        do {
            var opened = try await open(seams.files, part)
            if runner.options.isSealed {
                opened = try await seams.files.sealing(opened, for: runner.options.recipients, resuming: seal)
            }
            part = opened
            // A file that got its name at once is still empty.
            written = opened.isNamed ? nil : body
            let event = DownloadEvent.partReady(opened.identity, isNamed: opened.isNamed, seal: opened.seal)
            runner.feed.yield(.event(event))
        } catch {
            let problem = await namingWriter(in: error.problem, of: place)
            runner.feed.yield(.event(.storageFailed(.prepare, problem)))
        }
    }

    /// Names the transfer that writes the part file, if that is why it cannot be opened. It may be one of this engine.
    private func namingWriter(in problem: Problem, of place: FilePlace?) async -> Problem {
        guard let place, problem.failure.code == .cannotOpen, problem.disposition != .permanent else {
            return problem
        }
        do {
            let survey = try await seams.files.survey(place)
            guard survey.isPartHeld, let part = survey.part else { return problem }
            let claimant = try await ClaimSearch(store: seams.store).claimant(
                of: [part],
                besides: runner.transfer.id,
                lookingThrough: Self.mostLookedThrough
            )
            guard case .transfer(let other) = claimant else { return problem }
            var named = problem
            named.failure.message = "Transfer \(other.id) is writing \(place.partPath)."
            return named
        } catch {
            // Only the number is missing from the message.
            return problem
        }
    }

    /// - Parameter place: the part file, if another transfer may be writing it.
    private func storage(
        _ operation: DownloadEvent.StorageOperation,
        at place: FilePlace? = nil,
        _ work: (any PartFileSystem, (any PartFile)?) async throws(StorageProblem) -> DownloadEvent
    ) async {
        do {
            runner.feed.yield(.event(try await work(seams.files, part)))
        } catch {
            let problem = await namingWriter(in: error.problem, of: place)
            runner.feed.yield(.event(.storageFailed(operation, problem)))
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
