import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry edit`: changes the options of a transfer.
struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change the options of a transfer, for example a signed URL that has expired."
    )

    @Argument(
        help: ArgumentHelp("Change the transfer with this ID.", valueName: "id"),
        completion: .transfers
    )
    var id: TransferID

    @Option(help: ArgumentHelp("Use this fresh URL of the same resource.", valueName: "url"))
    var url: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Set the priority; higher runs first.", valueName: "number")
    )
    var priority: Int?

    @Option(
        help: ArgumentHelp("Move it to this queue.", valueName: "name"),
        completion: .queues,
        transform: QueueName.read
    )
    var queue: QueueName?

    @Option(
        help: ArgumentHelp(
            "Start after this transfer has completed; may be repeated. This replaces the earlier ones; 'none' waits for no transfer.",
            valueName: "id"
        ),
        completion: .transfers
    )
    var after: [Predecessor] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Retry up to N times after a failure.", valueName: "count")
    )
    var retries: Int?

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("Replace all request headers; may be repeated.", valueName: "name: value")
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "Send this user and password to the server. With a user alone, Ferry asks for the password.",
            valueName: "user:password"
        )
    )
    var user: String?

    @Option(help: ArgumentHelp("Send this bearer token to the server.", valueName: "token"))
    var bearer: String?

    @OptionGroup var rate: OwnRateArgument
    @OptionGroup var window: WindowArgument
    @OptionGroup var deadline: DeadlineArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if user != nil, bearer != nil {
            throw ValidationError("--user and --bearer cannot be used together.")
        }
        if after.contains(.noOther), after.count > 1 {
            throw ValidationError("--after none and another --after cannot be used together.")
        }
        let changesNoRequest = url == nil && header.isEmpty && user == nil && bearer == nil
        if changesNoRequest, queue == nil, priority == nil, retries == nil, rate.text == nil,
            window.text == nil, deadline.text == nil, after.isEmpty
        {
            throw ValidationError(
                """
                Say what to change: --url, --queue, --priority, --after, --retries, --limit-rate, \
                --window, --not-after, -H, --user or --bearer.
                """
            )
        }
    }

    /// The requested change, read and checked.
    func change() throws(CommandFailure) -> TransferEdit {
        var edit = TransferEdit()
        if let url {
            do {
                edit.url = try HTTPURL(typed: url)
            } catch {
                throw .usage(error.description)
            }
        }
        edit.queue = queue?.text
        edit.priority = priority
        if !after.isEmpty { edit.after = after.compactMap(\.id) }
        if let retries { edit.retries = try WorkTerms.count(retries, "--retries") }
        edit.rateLimit = try rate.limit()
        edit.window = try window.window()
        edit.notAfter = try deadline.moment()
        if !header.isEmpty {
            edit.headers = try header.map { line throws(CommandFailure) in try ExchangeTerms.field(line) }
        }
        if let user { edit.credentials = try ExchangeTerms.credentials(of: user) }
        if let bearer { edit.credentials = .bearer(token: bearer) }
        return edit
    }

    /// The text about a changed transfer.
    ///
    /// - Parameter process: the process that runs it, if its rate limit was changed.
    static func outcome(of transfer: Transfer, limitedIn process: Int32? = nil) -> String {
        if let process, transfer.state == .active {
            return
                "changed. Process \(process) obeys it at once. If that process has a lower limit, that one applies; "
                + "`ferry pause \(transfer.id)`, then `ferry resume \(transfer.id)`, runs it here."
        }
        return switch transfer.state {
        case .queued where transfer.claim == nil: "changed. `ferry resume \(transfer.id)` runs it."
        case .waiting(.window(let opens)):
            "changed. It waits for its time window until \(SystemTime.minute(opens))."
        case .failed(let failure) where !failure.code.needsResolution:
            "changed. `ferry retry \(transfer.id)` tries again."
        default: "changed."
        }
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let edit = try change()
            return try await session.withClient { client in
                let owners = try await OwnerDirectory(client)
                return await session.each([id]) { id in
                    let transfer = try await client.edit(id, edit)
                    let process = edit.rateLimit == nil ? nil : owners.process(of: transfer)
                    session.steered(transfer, Self.outcome(of: transfer, limitedIn: process), owners: owners)
                }
            }
        }
    }
}
