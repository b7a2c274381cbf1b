import Ferry
import FerryFrontend

extension Session {
    /// What was typed, with the objects that its patterns match in place of the patterns.
    ///
    /// - Throws: ``CommandFailure`` when a bucket cannot be listed, or nothing in it matches.
    func expanded(_ input: DownloadInput) async throws -> DownloadInput {
        guard var expansion = try KeyExpansion(input, environment) else { return input }
        let (title, report) = ("Listing objects", LookUpReport(console))
        report.begin(title)
        return try await withEngine { engine in
            let bucket = BucketClient(engine, expansion.exchange, retries: expansion.retries) {
                report.tell($0, of: title)
            }
            var expanded = input
            expanded.urls = []
            for text in input.urls {
                guard let pattern = expansion.pattern(text) else {
                    expanded.urls.append(text)
                    continue
                }
                try await bucket.list(ListedObject.self, under: pattern.prefix) { page in
                    try expansion.take(page, of: pattern)
                }
                expanded.urls += try expansion.end(pattern)
            }
            expanded.folders = expansion.folders
            return expanded
        }
    }

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
        let described = plan.describedSpecifications
        guard !described.isEmpty else { return plan }
        var continued = plan
        let known = try await client.transfers(like: described)
        try continued.useURLs(of: known.filter { $0.state != .cancelled })
        return continued
    }
}
