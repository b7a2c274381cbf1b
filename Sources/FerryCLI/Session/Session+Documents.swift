import Ferry
import FerryFrontend

extension Session {
    /// The plan completed with documents from servers, and with downloads that it began earlier.
    ///
    /// - Throws: ``CommandFailure`` when a document cannot be fetched or is invalid.
    func completed(_ plan: DownloadPlan, by engine: TransferEngine) async throws -> DownloadPlan {
        try await continued(fetched(plan, by: engine), in: engine)
    }

    /// The plan with what its documents on servers say.
    func fetched(_ plan: DownloadPlan, by engine: TransferEngine) async throws -> DownloadPlan {
        guard !plan.isComplete else { return plan }
        var fetched = plan
        console.draw(["Fetching documents"])
        try await fetched.complete(DocumentFetch(engine))
        for warning in fetched.notes.dropFirst(plan.notes.count) { console.warning(warning) }
        return fetched
    }

    /// The plan with downloads that it began earlier.
    func continued(_ plan: DownloadPlan, in client: some TransferAccess) async throws -> DownloadPlan {
        let told = plan.toldSpecifications
        guard !told.isEmpty else { return plan }
        var continued = plan
        let known = try await client.transfers(like: told)
        try continued.goOn(with: known.filter { $0.state != .cancelled })
        return continued
    }
}
