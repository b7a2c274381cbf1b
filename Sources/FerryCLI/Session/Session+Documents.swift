import Ferry

extension Session {
    /// A plan with what the documents say that are elsewhere, and with the downloads that it has begun before.
    ///
    /// - Throws: ``CommandFailure`` when one of them is not to be had, or makes no sense.
    func completed(_ plan: DownloadPlan, by engine: TransferEngine) async throws -> DownloadPlan {
        var completed = plan
        if !plan.isComplete {
            console.draw(["Fetching what the downloads are to be held against"])
            try await completed.complete(DocumentFetch(engine))
            for warning in completed.notes.dropFirst(plan.notes.count) { console.warning(warning) }
        }
        guard !completed.told.isEmpty else { return completed }
        let known = try await engine.transfers(like: completed.toldSpecifications)
        try completed.goOn(with: known.filter { $0.state != .cancelled })
        return completed
    }
}
