import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry add`: queues downloads for `ferry run`.
struct AddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Queue downloads for `ferry run`, and print their IDs."
    )

    @OptionGroup var download: DownloadArguments
    @OptionGroup(title: "Request options") var request: RequestArguments
    @OptionGroup(title: "Request options") var store: ObjectStoreArguments
    @OptionGroup(title: "Connection options") var connection: ConnectionArguments
    @OptionGroup var rate: OwnRateArgument
    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// What was typed, without the parser.
    var input: AddInput {
        AddInput(
            download: download.input(with: requestInput, connection.input),
            limitRate: rate.text,
            global: global.input
        )
    }

    func run() async throws { try await Session.add(input) }
}

extension Session {
    /// Queues downloads.
    static func add(_ input: AddInput) async throws {
        try await Session.run(input.global, explaining: SwallowedURL.explained) { session in
            let plan = try DownloadPlan(
                try await session.expanded(input.download.completed(from: session.settings)),
                environment: session.environment
            )
            let limit = try OwnRateArgument.limit(input.limitRate)
            guard !plan.usesStandardOutput else {
                throw CommandFailure.usage(
                    "The process that runs the queue has another standard output.",
                    hint: "Use `ferry get -o -` to stream to this one."
                )
            }
            for warning in plan.warnings { session.console.warning(warning) }
            // Only a document on a server needs more than the store.
            let fetched =
                plan.isComplete
                ? plan : try await session.withEngine { try await session.fetched(plan, by: $0) }
            return try await session.withClient { client in
                var plan = try await session.continued(fetched, in: client)
                if let limit { plan.limitEach(to: limit) }
                try plan.makeFolders()
                let queues = try await session.add(plan, to: client)
                try await session.tellOfWait(in: queues, client)
                return .done
            }
        }
    }

    /// The number of downloads in one commit.
    private static let together = 5_000

    /// Adds the downloads of a plan, page by page. Each page is durable before its numbers are printed. The next page is made
    /// while the store commits.
    ///
    /// - Returns: the queues in which they wait.
    /// - Throws: ``CommandFailure`` with the number of downloads that were added before the failure.
    fileprivate func add(_ plan: DownloadPlan, to client: TransferClient) async throws -> Set<String> {
        var exam = DestinationExam(client)
        try await exam.check(plan)
        var downloads = try plan.downloads()
        var mirrors = MirrorAdvice()
        var count = 0
        var paused = 0
        var queues: Set<String> = []
        do {
            var page = try downloads.next(Self.together)
            while !page.isEmpty {
                try await exam.examine(&page)
                let transfers = try await client.asSpelledBefore(page.map(\.transfer))
                async let adding = client.add(transfers)
                let next = Result { try downloads.next(Self.together) }
                let additions = try await adding
                count += additions.count
                paused += additions.count(where: \.isPaused)
                queues.formUnion(additions.lazy.map(\.transfer).queues)
                if let warning = mirrors.note(page, additions, of: plan) { console.warning(warning) }
                tellUnheeded(page, additions.map(\.transfer))
                tell(additions, of: transfers)
                // Waits for a slow reader rather than filling the memory.
                await console.room()
                page = try next.get()
                if !page.isEmpty { console.draw(["Added \(count) of \(plan.count)"]) }
            }
            console.clear()
            if paused > 0 {
                let verb = paused == 1 ? "is" : "are"
                console.notice(
                    "\(paused) of \(plan.count) \(verb) paused, as the list says; `ferry resume ID` starts one."
                )
            }
            return queues
        } catch {
            throw await failure(error, after: count, of: plan, client)
        }
    }

    /// The failure to add a page of a plan, with its line in the list and the number of downloads that were added before.
    func failure(
        _ error: any Error,
        after count: Int,
        of plan: DownloadPlan,
        _ access: some TransferAccess
    ) async -> CommandFailure {
        var failure = CommandFailure(error)
        if let line = await line(of: error, in: plan, access) {
            failure.message = "\(line): \(failure.message)"
        }
        guard count > 0 else { return failure }
        failure.message += " \(count) of \(plan.count) downloads were added before that."
        let rest = "Repeat the command to add the rest; no download is added twice."
        failure.hint = failure.hint.map { "\($0) \(rest)" } ?? rest
        return failure
    }

    /// The line of a list for which the store refused to add a page, because of a transfer that exists.
    private func line(
        of error: any Error,
        in plan: DownloadPlan,
        _ access: some TransferAccess
    ) async -> String? {
        guard let id = (error as? StoreError)?.transfer else { return nil }
        do {
            return try plan.line(askingFor: await access.snapshot(of: id))
        } catch {
            // The reported error matters more, and is correct without a line number, too.
            return nil
        }
    }
}

extension Addition {
    /// Whether it was recorded paused.
    fileprivate var isPaused: Bool {
        if case .added(let transfer) = self { transfer.state == .paused } else { false }
    }
}
