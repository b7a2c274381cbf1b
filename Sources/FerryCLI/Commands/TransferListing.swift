import Ferry
import FerryFrontend

/// A list of transfers, as `ferry list` prints it: which transfers, and in which order.
struct TransferListing: Hashable, Sendable {
    /// Whether completed and cancelled transfers are listed too.
    var all = false
    /// The states to list; empty for all unfinished ones, or for all.
    var state: [TransferState.Name] = []
    /// The queue to list; `nil` for all.
    var queue: QueueName?
    /// The tag to list; `nil` for all.
    var tag: TransferTag?
    /// Maximum number of transfers.
    var limit: Int?
    /// The ID after which the list begins, the oldest first.
    var after: TransferID?
    /// The ID before which the list begins, the newest first.
    var before: TransferID?
    /// The options of every command.
    var global = GlobalInput()

    /// The order of the list, and where it begins.
    var order: ListOrder {
        if let after { return .oldestFirst(after: after) }
        return all || before != nil || listsEnded ? .newestFirst(before: before) : .oldestFirst(after: nil)
    }

    /// Whether only transfers are listed that do not run again by themselves. Of these, a person looks for the latest.
    private var listsEnded: Bool { !state.isEmpty && state.allSatisfy(\.isFinal) }

    /// The command that shows the next page.
    func nextPage(after last: TransferID) -> String {
        let limit = limit.map { ["--limit", "\($0)"] } ?? []
        let place =
            switch order {
            case .oldestFirst: "--after"
            case .newestFirst: "--before"
            }
        return (words(all: all) + limit + [place, "\(last)"]).joined(separator: " ")
    }

    /// The command that shows the same without its limit, or with completed and cancelled transfers as well.
    private func words(all: Bool) -> [String] {
        var words = ["ferry", "list"]
        if all { words.append("--all") }
        for name in state { words += ["--state", name.rawValue] }
        if let queue { words += ["--queue", queue.text] }
        if let tag { words += ["--tag", ShellWord.quoted(tag.text)] }
        return words
    }

    /// The states to list; `nil` for all. Those of `--state` are listed with `--all`, too.
    var listed: [TransferState.Name]? {
        guard state.isEmpty else { return state }
        return all ? nil : TransferState.Name.allCases.filter { $0 != .completed && $0 != .cancelled }
    }

    /// Whether only unfinished transfers are listed, because no option says otherwise.
    private var listsUnfinished: Bool { !all && state.isEmpty }

    /// Whether failed transfers come last, so that a person finds what still runs. A list that begins at an ID has one order.
    private var endsWithFailures: Bool { listsUnfinished && !global.json && after == nil && before == nil }

    /// Whether only the latest failed transfers are listed.
    private var foldsFailures: Bool { endsWithFailures && limit == nil }

    /// Some transfers of a list.
    struct Part: Hashable, Sendable {
        /// Their states; `nil` for all.
        let states: [TransferState.Name]?
        let order: ListOrder
    }

    /// The parts of the list, in order.
    var parts: [Part] {
        guard endsWithFailures, let listed else { return [Part(states: listed, order: order)] }
        return [
            Part(states: listed.filter { $0 != .failed }, order: order),
            Part(states: [.failed], order: .newestFirst(before: nil)),
        ]
    }

    /// The command that shows the rest of a list that has reached its limit.
    ///
    /// - Parameters:
    ///   - last: the latest transfer that was listed.
    ///   - next: the one that would come next.
    ///   - hasFailures: whether the store has failed transfers.
    func rest(after last: Transfer, beginningWith next: Transfer, hasFailures: Bool) -> String {
        guard endsWithFailures, hasFailures else { return nextPage(after: last.id) }
        // No page begins with one part and ends with the other.
        guard next.state.isFailed else { return words(all: false).joined(separator: " ") }
        var failures = self
        failures.state = [.failed]
        guard !last.state.isFailed else { return failures.nextPage(after: last.id) }
        return failures.words(all: false).joined(separator: " ")
    }

    /// Maximum failed transfers in a list that sums up the others.
    private static let mostFailures = 10

    /// What was printed.
    private struct Shown {
        /// The number of transfers.
        var count = 0
        /// The command that lists more of them; `nil` if there are no more.
        var more: String?
        /// The number of failed downloads to a stream that were left out.
        var streams = 0
        /// The number of old failures without bytes that were left out.
        var failures = 0
        /// The number of failed transfers that were not left out for another reason.
        var failed = 0
        /// Whether a queued or waiting transfer was printed that needs a process, and no process runs transfers.
        var lacksProcess = false
        /// The number of paused transfers.
        var paused = 0
    }

    /// Prints the list.
    func run() async throws {
        try await Session.run(global) { session in
            try await session.withClient(for: .reading) { client in
                let shown = try await print(client, session)
                for damaged in await client.damagedTransfers() { print(damaged, session) }
                if !global.json { try await printFooter(client, session, shown: shown) }
                return .done
            }
        }
    }

    /// Prints the transfers.
    private func print(_ client: some TransferAccess, _ session: Session) async throws -> Shown {
        let console = session.console
        var table = TransferTable(
            columns: console.outputColumns,
            workingDirectory: session.environment.workingDirectory,
            home: session.environment.home
        )
        if !global.json {
            table.pausedQueues = try await client.pausedQueues()
        }
        let owners = try await OwnerDirectory(client)
        let speeds = try await speeds(client, console, owners)
        let now = SystemTime.now
        var shown = Shown()
        var last: Transfer?
        for part in parts where !console.outputIsGone && shown.more == nil {
            try await client.forEachShown(
                part.states,
                where: { $0.of(queue, tag) },
                in: part.order,
                owners: owners
            ) { transfer in
                if leavesOut(transfer, &shown, at: now) { return true }
                if let limit, let last, shown.count >= limit {
                    let hasFailures = (try await client.counts()[.failed] ?? 0) > 0
                    shown.more = rest(after: last, beginningWith: transfer, hasFailures: hasFailures)
                    return false
                }
                let progress = speeds.progress(of: transfer)
                if global.json {
                    console.data(.object(TransferRecord.full(transfer, progress, owners: owners)))
                } else {
                    if shown.count == 0 { console.data(table.header) }
                    for line in table.lines(transfer, progress) { console.data(line) }
                }
                shown.count += 1
                if transfer.state == .paused { shown.paused += 1 }
                if transfer.needsRunner, !owners.hasOthers, !table.pausedQueues.contains(transfer.queue) {
                    shown.lacksProcess = true
                }
                last = transfer
                await console.room()
                return !console.outputIsGone
            }
        }
        return shown
    }

    /// Counts a failed transfer, and returns whether the list leaves it out.
    private func leavesOut(_ transfer: Transfer, _ shown: inout Shown, at now: Instant) -> Bool {
        guard listsUnfinished, transfer.state.isFailed else { return false }
        if transfer.isFailedStream {
            shown.streams += 1
            return true
        }
        // Programs get all of them, because the lines that count them are for a person.
        if !global.json, transfer.isOldFailureWithoutBytes(at: now) {
            shown.failures += 1
            return true
        }
        shown.failed += 1
        return foldsFailures && shown.failed > Self.mostFailures
    }

    /// The speeds of the running transfers. They are measured only for a person at a terminal, because that takes time.
    private func speeds(
        _ client: some TransferAccess,
        _ console: Console,
        _ owners: OwnerDirectory
    ) async throws -> ListedSpeeds {
        // A store that can only be read is seen as it was when it was opened.
        guard console.outputIsTerminal, !global.json, !client.isReadOnly, listed?.contains(.active) ?? true
        else { return ListedSpeeds() }
        return try await ListedSpeeds.measured {
            var running: [Transfer] = []
            try await client.forEachShown(
                [.active],
                where: { $0.of(queue, tag) },
                in: order,
                owners: owners
            ) { transfer in
                running.append(transfer)
                return running.count < ListedSpeeds.mostFollowed
            }
            return running
        }
    }

    /// Prints a row that cannot be read.
    private func print(_ damaged: DamagedTransfer, _ session: Session) {
        guard !global.json else {
            return session.console.data([
                "id": .int(damaged.id.rawValue), "state": damaged.isOfNewerFerry ? "newer" : "damaged",
                "message": .string(damaged.problem),
            ])
        }
        guard !damaged.isOfNewerFerry else {
            return session.console.warning(
                "A newer Ferry added transfer \(damaged.id), which is left as it is: \(TerminalText.safe(damaged.problem)). "
                    + "Update ferry."
            )
        }
        session.console.warning(
            "Transfer \(damaged.id) is damaged in the store and does not run: \(damaged.problem). "
                + "`ferry remove \(damaged.id)` removes it; then repeat its `ferry get` line to download it again."
        )
    }

    private func printFooter(
        _ client: some TransferAccess,
        _ session: Session,
        shown: Shown
    ) async throws {
        if shown.lacksProcess {
            session.console.notice(
                "No process runs the queue. `ferry run` runs it, `ferry resume ID` one transfer."
            )
        }
        if shown.count > 0, shown.paused == shown.count {
            session.console.notice(
                "`ferry resume ID` resumes a paused transfer, `ferry resume --all` all of them."
            )
        }
        if let more = shown.more {
            session.console.notice("More transfers: `\(more)` lists them.")
        }
        guard listsUnfinished else {
            if shown.count == 0 { session.console.notice("No transfers.") }
            return
        }
        if shown.count == 0, after == nil, before == nil {
            session.console.notice("No unfinished transfers.")
        }
        if foldsFailures, shown.failed > Self.mostFailures {
            var failures = self
            failures.state = [.failed]
            let command = failures.words(all: false).joined(separator: " ")
            let earlier = shown.failed - Self.mostFailures
            session.console.notice(
                "Not shown: \(earlier) earlier \(earlier == 1 ? "failure" : "failures"). `\(command)` shows all of them."
            )
        }
        var hidden = try await hidden(in: client)
        if shown.streams > 0 {
            hidden.append("\(shown.streams) failed \(shown.streams == 1 ? "stream" : "streams")")
        }
        if shown.failures > 0 {
            hidden.append(
                "\(shown.failures) \(shown.failures == 1 ? "download" : "downloads") that failed without data over a day ago"
            )
        }
        if !hidden.isEmpty {
            let command = words(all: true).joined(separator: " ")
            session.console.notice("Not shown: \(hidden.joined(separator: ", ")). `\(command)` shows them.")
        }
    }

    /// How many completed and cancelled transfers are not listed.
    private func hidden(in client: some TransferAccess) async throws -> [String] {
        let states: [TransferState.Name] = [.completed, .cancelled]
        guard queue != nil || tag != nil else {
            let counts = try await client.counts()
            return states.compactMap { name in
                counts[name].flatMap { $0 > 0 ? "\($0) \(name)" : nil }
            }
        }
        var hidden: [String] = []
        for name in states {
            var count = 0
            for try await _ in client.transfers(.state(name).of(queue, tag)) {
                count += 1
                if count > Self.mostCounted { break }
            }
            switch count {
            case 0: continue
            case ...Self.mostCounted: hidden.append("\(count) \(name)")
            default: hidden.append("more than \(Self.mostCounted) \(name)")
            }
        }
        return hidden
    }

    /// Maximum transfers of a queue or a tag that are counted, because counting reads each of them.
    private static let mostCounted = 1_000
}
