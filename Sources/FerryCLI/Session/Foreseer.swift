import Ferry
import FerryFrontend

/// Looks at what downloads would meet: in the store, and under the names of their files.
struct Foreseer {
    private let engine: TransferEngine
    private let owners: OwnerDirectory
    private let plan: DownloadPlan
    private var holders = NameHolders()

    init(_ engine: TransferEngine, owners: OwnerDirectory, _ plan: DownloadPlan) {
        (self.engine, self.owners, self.plan) = (engine, owners, plan)
    }

    mutating func preview(
        of planned: PlannedDownload,
        _ answer: FileInquiry.Answer
    ) async throws -> DownloadPreview {
        let download = planned.specification
        guard case .file(let directory, let given) = download.destination else {
            return DownloadPreview(download, answer)
        }
        let usual = given ?? (download.options.isSealed ? answer.name.sealed : answer.name)
        let foresight: Foresight
        do throws(StoreError) {
            foresight = try await engine.foresee(planned.transfer)
        } catch {
            guard case .notPossible(_, let reason, _) = error else { throw error }
            // The disk with the file of an earlier one is not mounted.
            let place = FilePlace(directory: directory, name: usual)
            var failure = CommandFailure(error)
            failure.message = reason
            return DownloadPreview(download, answer, to: place, nil, .fail(failure))
        }
        var place = FilePlace(directory: directory, name: foresight.name ?? usual)
        if case .partFile(let own, _)? = foresight.transfer?.work.residue { place.part = own.part }
        let found = try await found(at: place, besides: foresight.transfer?.id)
        let action = ForeseenAction(
            foresight,
            found,
            download.options,
            isNamed: given != nil,
            owners: owners,
            at: SystemTime.now
        )
        return DownloadPreview(download, answer, to: place, found.final, action)
    }

    /// What is found at the place of a file.
    ///
    /// - Parameter id: the transfer that would be resumed there.
    private mutating func found(
        at place: FilePlace,
        besides id: TransferID?
    ) async throws -> ForeseenAction.Found {
        var found = ForeseenAction.Found()
        let survey: FileSurvey
        do throws(StorageProblem) {
            survey = try await engine.survey(place)
        } catch {
            // A directory that the command makes has nothing yet.
            let isMade = plan.makesDirectories && !FilePath.exists(place.directory)
            if !isMade { found.problem = error.problem.failure }
            return found
        }
        (found.final, found.part) = (survey.final, survey.part)
        guard survey.part != nil else { return found }
        let holder = try await holders.holder(of: place.path, at: SystemTime.steady) { [engine] in
            try await NameHolders.read(engine)
        }
        guard let holder, holder != id else { return found }
        let rival = try await engine.snapshot(of: holder)
        if rival.hasName(place.path) { found.rival = rival }
        return found
    }
}
