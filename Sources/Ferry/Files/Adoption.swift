import FerryCore

/// Takes over an unfinished file that another tool left, or a part file that no transfer knows.
///
/// Nothing is changed on disk. The row of the download claims the file, and its attempt renames it.
struct Adoption {
    let seams: ClientSeams

    /// The work with a claim on the file, and with the bytes of it that count. Work that an unfinished transfer does with this
    /// file already stays as it is.
    func adopt(_ work: Work) async throws -> Work {
        if let adopted = try await adoptIfBegun(work) { return adopted }
        let path = try place(of: work).path
        throw Self.refusal("There is no file \(path).").problem.failure
    }

    /// As ``adopt(_:)``; `nil` if there is neither the file nor a part file.
    func adoptIfBegun(_ work: Work) async throws -> Work? {
        do {
            return try await adopt(work, at: place(of: work))
        } catch let problem as StorageProblem {
            throw problem.problem.failure
        }
    }

    private func place(of work: Work) throws(TransferFailure) -> FilePlace {
        guard let specification = work.download?.specification else {
            throw TransferFailure(.cannotResume, "Only a download takes over a file.")
        }
        guard case .file(let directory, let given) = specification.destination else {
            throw TransferFailure(.cannotResume, "A stream takes over no file.")
        }
        let name = given ?? .fromURL(specification.url)
        return FilePlace(directory: directory, name: name, root: specification.options.root)
    }

    private func adopt(_ work: Work, at place: FilePlace) async throws -> Work? {
        guard let download = work.download else { return nil }
        let survey = try await seams.files.survey(place)
        let files = [survey.final, survey.part].compactMap(\.self)
        guard !files.isEmpty else { return nil }
        if case .transfer(let holder) = try await ClaimSearch(store: seams.store).claimant(of: files) {
            guard holder.work.identity == download.identity else {
                throw Self.refusal(
                    "\(place.path) or \(place.part) belongs to transfer \(holder.id).",
                    [.resumeOther(holder.id)]
                )
            }
            return work
        }
        let (entry, source, control) = try await source(in: survey, at: place)
        let options = download.specification.options
        let isVerified = options.checksum != nil || options.pieces != nil
        let hole = try await synchronize(entry, source, at: place)
        let segments = try segments(
            of: source,
            entry,
            at: source == .part ? place.partPath : place.path,
            firstHole: hole,
            isVerified: isVerified
        )
        var claim = PartFileClaim(
            name: place.part,
            identity: entry.identity,
            boot: seams.host.boot,
            modified: survey.keepsTimes ? entry.modified : nil
        )
        claim.adoption = PendingAdoption(
            control: control,
            name: source == .part ? place.part : place.name,
            length: lengthToGiveBack(entry, source, firstHole: hole, isEmpty: segments.received == 0)
        )
        var adopted = download
        adopted.progress.name = place.name
        adopted.progress.part = claim
        adopted.progress.segments = segments
        if !isVerified {
            let runs = segments.segments.map { $0.range.lowerBound..<$0.written }
            adopted.progress.mirroring.noteOtherTool(runs)
        }
        return .download(adopted)
    }

    /// The length to which the file is cut when it is given back. 0 if its control file says that no byte is there; `nil` if bytes
    /// of the server may come between its own.
    private func lengthToGiveBack(
        _ entry: FileSurvey.Entry,
        _ source: AdoptionPlan.Source,
        firstHole: Int64?,
        isEmpty: Bool
    ) -> Int64? {
        guard !isEmpty else { return 0 }
        return source == .inOrder && firstHole != nil ? nil : entry.length
    }

    /// Brings the bytes that count to stable storage.
    ///
    /// - Returns: where the first bytes are that no one has written.
    private func synchronize(
        _ entry: FileSurvey.Entry,
        _ source: AdoptionPlan.Source,
        at place: FilePlace
    ) async throws(StorageProblem) -> Int64? {
        let file =
            source == .part
            ? try await seams.files.openPart(at: place, identity: entry.identity)
            : try await seams.files.openFinished(at: place, identity: entry.identity)
        return try await file.closing { () throws(StorageProblem) -> Int64? in
            try await file.synchronize()
            return try await file.firstHole()
        }
    }

    private func segments(
        of source: AdoptionPlan.Source,
        _ entry: FileSurvey.Entry,
        at path: String,
        firstHole: Int64?,
        isVerified: Bool
    ) throws(StorageProblem) -> SegmentMap {
        do throws(AdoptionPlan.Refusal) {
            return try AdoptionPlan.segments(
                of: source,
                length: entry.length,
                firstHole: firstHole,
                isVerified: isVerified
            )
        } catch {
            switch error {
            case .needsDigest:
                throw Self.refusal(
                    "\(path) may have gaps, so only a digest can tell which of its bytes are right.",
                    [.addWithDigest]
                )
            case .noBytes: throw Self.refusal("\(path) has no bytes at its beginning that could be used.")
            case .tooShort: throw Self.refusal("\(path) is shorter than its control file says.")
            }
        }
    }

    private func source(
        in survey: FileSurvey,
        at place: FilePlace
    ) async throws(StorageProblem) -> (FileSurvey.Entry, AdoptionPlan.Source, PendingAdoption.Control?) {
        guard !survey.isPartHeld else { throw Self.refusal("Another transfer is writing \(place.partPath).") }
        switch (survey.final, survey.part) {
        case (let final?, nil) where final.kind == .file:
            guard let (file, control) = try await control(of: place) else { return (final, .inOrder, nil) }
            return (final, .aria2(file), control)
        case (nil, let part?) where part.kind == .file:
            return (part, .part, nil)
        case (_?, _?):
            throw Self.refusal("\(place.path) and \(place.partPath) both exist.", [.moveAwayUnlessNeeded])
        case (_, nil), (nil, _?): throw Self.refusal("\(place.path) is not a regular file.")
        }
    }

    /// The control file of aria2 beside the file; `nil` if there is none.
    private func control(
        of place: FilePlace
    ) async throws(StorageProblem) -> (Aria2ControlFile, PendingAdoption.Control)? {
        let name: FileName
        do throws(FileName.Invalid) {
            name = try FileName(userGiven: place.name.rawValue + ".aria2")
        } catch {
            // No file can have that name.
            return nil
        }
        let beside = FilePlace(directory: place.directory, name: name, root: place.root)
        guard let entry = try await seams.files.survey(beside).final else { return nil }
        guard entry.kind == .file, entry.length <= Int64(Aria2ControlFile.longest) else {
            throw Self.refusal("\(beside.path) is not a control file of aria2.")
        }
        let file = try await seams.files.openFinished(at: beside, identity: entry.identity)
        let bytes = try await file.closing { () throws(StorageProblem) in
            try await file.read(0..<entry.length)
        }
        guard let control = Aria2ControlFile(bytes) else {
            throw Self.refusal("\(beside.path) is not a control file of aria2 that can be read.")
        }
        return (control, PendingAdoption.Control(name: name, identity: entry.identity))
    }

    private static func refusal(_ message: String, _ remedies: [Remedy] = []) -> StorageProblem {
        StorageProblem(
            .permanent(.cannotResume, message + " Nothing was changed.", remedies: remedies),
            errno: 0
        )
    }
}
