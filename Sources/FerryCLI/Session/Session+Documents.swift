import Ferry

extension Session {
    /// A plan with what the documents say that are elsewhere.
    ///
    /// - Throws: ``CommandFailure`` when one of them is not to be had, or makes no sense.
    func completed(_ plan: DownloadPlan, by engine: TransferEngine) async throws -> DownloadPlan {
        guard !plan.isComplete else { return plan }
        console.draw(["Fetching what the downloads are to be held against"])
        var completed = plan
        try await completed.complete(DocumentFetch(engine))
        for warning in completed.warnings.dropFirst(plan.warnings.count) { console.warning(warning) }
        return completed
    }
}
