import ArgumentParser
import Ferry

/// `ferry list`: lists transfers.
struct ListCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List transfers; --all includes completed and cancelled ones.",
        usage: "ferry list [<options>]",
        discussion: """
            The oldest transfer comes first. The newest comes first with --all, --before, and --state completed, failed or \
            cancelled. Failed ones come last, the newest first, unless --all, --state, --after, --before or --json is \
            given. Only the latest ten of these are listed, unless --limit is given. --limit lists the first transfers \
            in this order. \
            Downloads to standard output, a device or a FIFO are left out once they have ended, unless --all or --state \
            is given, because they cannot be resumed. Downloads that failed without data over a day ago are left out too, \
            except with --json.
            """
    )

    @Flag(name: .shortAndLong, help: "List completed and cancelled transfers too, the newest first.")
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

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("List only the first N transfers.", valueName: "count")
    )
    var limit: Int?

    @Option(
        help: ArgumentHelp("List transfers after this ID, the oldest first; 0 lists all.", valueName: "id"),
        completion: .transfers,
        transform: ListCommand.start
    )
    var after: TransferID?

    @Option(
        help: ArgumentHelp("List transfers before this ID, the newest first.", valueName: "id"),
        completion: .transfers
    )
    var before: TransferID?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1.") }
        if after != nil, before != nil {
            throw ValidationError("--after and --before cannot be used together.")
        }
    }

    /// Reads the ID after which a list begins; 0 begins with the oldest transfer.
    private static func start(_ text: String) throws -> TransferID {
        if text == "0" { return TransferID(rawValue: 0) }
        guard let id = TransferID(text) else {
            throw ValidationError("--after must be an ID, or 0 to list all.")
        }
        return id
    }

    /// What was typed, without the parser.
    var listing: TransferListing {
        var listing = TransferListing()
        listing.all = all
        listing.state = state
        (listing.queue, listing.tag) = (queue, tag)
        listing.limit = limit
        (listing.after, listing.before) = (after, before)
        listing.global = global.input
        return listing
    }

    func run() async throws { try await listing.run() }
}
