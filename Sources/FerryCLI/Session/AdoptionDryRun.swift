import Ferry
import FerryFrontend

/// `ferry adopt --dry-run`: tells which files the command would take over, and changes nothing. No server is asked for them.
struct AdoptionDryRun {
    private let session: Session
    private let cookies: SessionCookies

    init(_ session: Session, _ cookies: SessionCookies) { (self.session, self.cookies) = (session, cookies) }

    /// Looks at the file of each download of a plan.
    ///
    /// - Returns: the status of the first file that is refused.
    func tell(_ plan: DownloadPlan) async throws -> ExitStatus {
        try await session.lookAtEach(of: plan, cookies) { engine, plan in
            { download in
                let preview = try await preview(of: download, in: plan, engine)
                session.console.tell(preview)
                return preview.failure
            }
        }
    }

    private func preview(
        of planned: PlannedDownload,
        in plan: DownloadPlan,
        _ engine: TransferEngine
    ) async throws -> AdoptionPreview {
        let url = planned.specification.url
        guard case .file(let directory, let name) = planned.specification.destination else {
            let failure = CommandFailure(TransferFailure(.cannotResume, "A stream takes over no file."))
            return AdoptionPreview(url: url, path: nil, action: .refuse(failure))
        }
        let place = FilePlace(directory: directory, name: name ?? .fromURL(url))
        // A directory that the command makes has nothing yet.
        let isMade = plan.makesDirectories && !FilePath.exists(directory)
        let action: AdoptionPreview.Action
        do {
            let isList = plan.hasSeveral
            action =
                isMade && isList
                ? .download : try await self.action(planned.transfer, at: place, asList: isList, engine)
        } catch let failure as TransferFailure {
            action = .refuse(CommandFailure(failure))
        } catch let error as StoreError {
            guard case .notPossible = error else { throw error }
            action = .refuse(CommandFailure(error))
        }
        return AdoptionPreview(url: url, path: place.path, action: action)
    }

    /// - Parameter isList: whether a file that does not exist is downloaded from the start.
    private func action(
        _ new: NewTransfer,
        at place: FilePlace,
        asList isList: Bool,
        _ engine: TransferEngine
    ) async throws -> AdoptionPreview.Action {
        let begun = isList ? try await engine.adoptingIfBegun(new) : try await engine.adopting(new)
        let foresight = try await engine.foresee(begun ?? new)
        if case .fulfilled(let transfer) = foresight.earlier { return .complete(transfer.id) }
        guard let begun else { return .download }
        guard let work = begun.work.download, let adoption = work.progress.part?.adoption else {
            // It has the file already.
            guard let transfer = foresight.transfer else { return .download }
            return .resume(transfer.id, received: transfer.recordedProgress.received)
        }
        let options = work.specification.options
        let tool: AdoptionPreview.Tool
        if let control = adoption.control {
            let beside = FilePlace(directory: place.directory, name: control.name)
            tool = .aria2(controlFile: beside.path)
        } else {
            tool = adoption.name == place.part ? .ferry : .inOrder
        }
        return .adopt(
            AdoptionPreview.Find(
                tool: tool,
                kept: begun.work.progress.received,
                isVerified: options.checksum != nil || options.pieces != nil
            )
        )
    }
}
