import Ferry
import FerryFrontend

/// `ferry get --dry-run`: tells what servers say of files and what the command would do, and changes nothing.
struct DryRun {
    private let session: Session
    private let cookies: SessionCookies
    private var console: Console { session.console }

    init(_ session: Session, _ cookies: SessionCookies) { (self.session, self.cookies) = (session, cookies) }

    /// Asks for each download of a plan.
    ///
    /// - Returns: the status of the first failure.
    func tell(_ plan: DownloadPlan) async throws -> ExitStatus {
        try await session.withEngine(for: .asking) {
            $0.cookies = cookies
        } _: { engine in
            let plan = try await session.completed(plan, by: engine)
            var downloads = try plan.downloads()
            var foreseer = Foreseer(engine, owners: try await OwnerDirectory(engine), plan)
            var status = ExitStatus.done
            while let download = try downloads.next() {
                do {
                    console.draw(["Asking \(download.specification.url.hostAndPort)"])
                    let answer = try await ask(for: download.specification, with: engine)
                    let preview = try await foreseer.preview(of: download, answer)
                    console.clear()
                    tell(preview)
                } catch let error as TransferFailure {
                    console.clear()
                    let failure = CommandFailure(error)
                    console.failure(failure)
                    if status == .done { status = failure.status }
                }
                await console.room()
            }
            return status
        }
    }

    private func ask(
        for download: DownloadSpecification,
        with engine: TransferEngine
    ) async throws -> FileInquiry.Answer {
        let (options, url) = (download.options, download.url)
        return try await FileInquiry(engine, url, options.exchange, retries: options.retries).answer()
    }

    private func tell(_ download: DownloadPreview) {
        if console.appearance.json {
            console.data(download.json)
        } else {
            for line in download.lines { console.data(line) }
        }
    }
}
