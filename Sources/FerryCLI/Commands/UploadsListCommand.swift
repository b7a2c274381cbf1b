import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry uploads list`: lists what a store holds of uploads that have not ended.
struct UploadsListCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List unfinished uploads in parts, and the transfer that each belongs to."
    )

    @OptionGroup var uploads: UploadsArguments

    @Option(help: ArgumentHelp("List uploads that began longer ago than this: 7d or 12h.", valueName: "age"))
    var olderThan: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            let plan = try UploadsPlan(
                uploads.input(with: session.settings, olderThan: olderThan),
                session.environment
            )
            let console = session.console
            var count = 0
            try await session.eachUpload(of: plan) { _, page in
                for upload in page where plan.age.map({ upload.hasAge($0, at: SystemTime.now) }) ?? true {
                    if console.appearance.json {
                        console.data(.object(upload.json))
                    } else {
                        if count == 0 { console.data(UnfinishedUpload.heading) }
                        console.data(upload.line)
                    }
                    count += 1
                }
                // Waits for a slow reader rather than filling the memory.
                await console.room()
            }
            if count == 0, !console.appearance.json { console.notice("No unfinished uploads.") }
            return .done
        }
    }
}

extension Session {
    /// Lists the unfinished uploads of a bucket, page by page.
    func eachUpload(
        of plan: UploadsPlan,
        _ use: (BucketClient, [UnfinishedUpload]) async throws -> Void
    ) async throws {
        try await withEngine(for: .reading) { engine in
            let report = LookUpReport(console)
            defer { console.clear() }
            let bucket = BucketClient(engine, plan.terms, retries: plan.retries) {
                report.tell($0, of: "Listing uploads")
            }
            try await bucket.list(ListedUpload.self, under: plan.prefix) { page in
                // An upload is in a record soon after the store knows it, so the records are read after the page.
                let known = try await KnownUploads(in: plan.prefix, engine)
                let uploads = page.map {
                    UnfinishedUpload(plan.prefix, $0, known.transfer(of: $0, in: plan.prefix))
                }
                try await use(bucket, uploads)
            }
        }
    }
}
