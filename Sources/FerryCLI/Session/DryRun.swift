import Ferry
import FerryFrontend

/// `ferry get --dry-run`: tells what servers say of files and what the command would do, and changes nothing.
struct DryRun {
    private let session: Session
    private let cookies: SessionCookies
    private let report: LookUpReport
    private var console: Console { session.console }

    /// - Parameter report: reports the waits.
    init(_ session: Session, _ cookies: SessionCookies, _ report: LookUpReport) {
        (self.session, self.cookies, self.report) = (session, cookies, report)
    }

    /// Asks for each download of a plan.
    ///
    /// - Returns: the status of the first failure, also of a download that would fail.
    func tell(_ plan: DownloadPlan) async throws -> ExitStatus {
        try await session.lookAtEach(of: plan, cookies) { engine, plan in
            var foreseer = Foreseer(engine, owners: try await OwnerDirectory(engine), plan)
            return { download in
                do {
                    report.begin("Asking \(download.specification.url.hostAndPort)")
                    let answer = try await ask(for: download, with: engine)
                    let preview = try await foreseer.preview(of: download, answer)
                    console.clear()
                    console.tell(preview)
                    return preview.failure
                } catch let error as TransferFailure {
                    console.clear()
                    let failure = CommandFailure(error)
                    console.failure(failure)
                    return failure
                }
            }
        }
    }

    private func ask(
        for download: PlannedDownload,
        with engine: TransferEngine
    ) async throws -> FileInquiry.Answer {
        let (options, url) = (download.specification.options, download.specification.url)
        let inquiry = FileInquiry(engine, url, options.exchange, retries: options.retries) { [report] in
            report.tell($0, of: Self.name(of: download.specification))
        }
        return try await inquiry.answer()
    }

    /// The name of a file or a stream, as far as it is known before the server answers.
    private static func name(of download: DownloadSpecification) -> String {
        let name =
            switch download.destination {
            case .file(_, let given): (given ?? .fromURL(download.url)).rawValue
            case .stream("-"): FileName.fromURL(download.url).rawValue
            case .stream(let path): path
            }
        return TerminalText.safe(name)
    }
}

extension Session {
    /// Looks at each download of a plan, with an engine that changes nothing.
    ///
    /// - Parameter looking: returns what looks at one download, prints it, and returns why it fails; `nil` if it does not.
    /// - Returns: the status of the first failure.
    func lookAtEach(
        of plan: DownloadPlan,
        _ cookies: SessionCookies,
        _ looking: (TransferEngine, DownloadPlan) async throws -> (PlannedDownload) async throws ->
            CommandFailure?
    ) async throws -> ExitStatus {
        try await withEngine(for: .asking) {
            $0.cookies = cookies
        } _: { engine in
            let plan = try await completed(plan, by: engine)
            let look = try await looking(engine, plan)
            var downloads = try plan.downloads()
            var status = ExitStatus.done
            while let download = try downloads.next() {
                let failure = try await look(download)
                if status == .done, let failure { status = failure.status }
                await console.room()
            }
            return status
        }
    }
}
