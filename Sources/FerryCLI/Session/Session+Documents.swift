import Ferry

extension Session {
    /// The plan completed with documents from servers, and with downloads that it began earlier.
    ///
    /// - Throws: ``CommandFailure`` when a document cannot be fetched or is invalid.
    func completed(_ plan: DownloadPlan, by engine: TransferEngine) async throws -> DownloadPlan {
        var completed = plan
        if !plan.isComplete {
            console.draw(["Fetching documents"])
            try await completed.complete(DocumentFetch(engine))
            for warning in completed.warnings.dropFirst(plan.warnings.count) { console.warning(warning) }
        }
        guard !completed.told.isEmpty else { return completed }
        let known = try await engine.transfers(like: completed.toldSpecifications)
        try completed.goOn(with: known.filter { $0.state != .cancelled })
        return completed
    }
}
