import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry list`: lists transfers.
struct ListCommand: LookingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List transfers; --all includes completed and cancelled ones."
    )

    @Flag(name: .shortAndLong, help: "List completed and cancelled transfers too.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "List transfers in this state: queued, active, waiting, paused, completed, failed or cancelled; may be repeated.",
            valueName: "state"
        ),
        transform: TransferState.Name.reading(TransferState.Name.allCases)
    )
    var state: [TransferState.Name] = []

    @Option(
        help: ArgumentHelp("List transfers in this queue.", valueName: "name"),
        completion: .queues,
        transform: QueueName.read
    )
    var queue: QueueName?

    @Option(
        help: ArgumentHelp("List transfers with this tag.", valueName: "name"),
        transform: TransferTag.read
    )
    var tag: TransferTag?

    @Option(parsing: .unconditional, help: ArgumentHelp("List up to N transfers.", valueName: "count"))
    var limit: Int?

    @Option(
        help: ArgumentHelp("List transfers after this ID.", valueName: "id"),
        completion: .transfers
    )
    var after: TransferID?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if !state.isEmpty, all { throw ValidationError("--all and --state cannot be used together.") }
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    /// The command that shows the next page.
    func nextPage(after last: TransferID) -> String {
        let limit = limit.map { ["--limit", "\($0)"] } ?? []
        return (words(all: all) + limit + ["--after", "\(last)"]).joined(separator: " ")
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

    /// The states to list; `nil` for all.
    private var listed: [TransferState.Name]? {
        let usual = TransferState.Name.allCases.filter { $0 != .completed && $0 != .cancelled }
        return all ? nil : state.isEmpty ? usual : state
    }

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withClient(for: .looking) { client in
                let shown = try await print(client, session)
                for damaged in await client.damagedTransfers() { print(damaged, session) }
                if !global.json { try await printFooter(client, session, shown: shown) }
                return .done
            }
        }
    }

    /// Prints the transfers; returns their number, and the last ID if there may be more.
    private func print(
        _ client: some TransferAccess,
        _ session: Session
    ) async throws -> (count: Int, more: TransferID?) {
        let console = session.console
        var table = TransferTable(columns: console.outputColumns)
        if !global.json {
            table.pausedQueues = try await client.pausedQueues()
        }
        let owners = try await OwnerDirectory(client)
        var count = 0
        var last: TransferID?
        var more: TransferID?
        try await client.forEachShown(
            listed,
            where: { $0.of(queue, tag) },
            after: after,
            owners: owners
        ) { transfer in
            if let limit, count >= limit {
                more = last
                return false
            }
            let progress = transfer.recordedProgress
            if global.json {
                console.data(.object(TransferRecord.full(transfer, progress, owners: owners)))
            } else {
                if count == 0 { console.data(table.header) }
                for line in table.lines(transfer, progress) { console.data(line) }
            }
            count += 1
            last = transfer.id
            await console.room()
            return !console.outputIsGone
        }
        return (count, more)
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
        shown: (count: Int, more: TransferID?)
    ) async throws {
        if let more = shown.more {
            session.console.notice("More transfers: `\(nextPage(after: more))` lists them.")
        }
        guard !all, state.isEmpty else {
            if shown.count == 0 { session.console.notice("No transfers.") }
            return
        }
        if shown.count == 0, after == nil { session.console.notice("No unfinished transfers.") }
        let hidden = try await hidden(in: client)
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
