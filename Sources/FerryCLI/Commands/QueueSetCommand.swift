public import ArgumentParser
public import Ferry
import FerryFrontend

/// `ferry queue set`: changes the settings of a queue.
struct QueueSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the settings of a queue, even while it runs."
    )

    @OptionGroup var name: QueueArgument

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Run up to N of its transfers at once, over all processes; 0 for no limit.",
            valueName: "count"
        )
    )
    var slots: Int?

    @Option(
        help: ArgumentHelp(
            "Choose what happens to a new transfer when all slots are taken.",
            discussion: """
                wait: it waits. cancel-oldest: it starts, and the oldest running transfer is cancelled. \
                cancel-oldest-also-waiting: the oldest transfer is cancelled, whether it runs or waits. So the queue has at \
                most as many unfinished transfers as slots.
                """,
            valueName: "wait|cancel-oldest|cancel-oldest-also-waiting"
        )
    )
    var overflow: QueueOverflow?

    @Option(
        help: ArgumentHelp(
            "Choose the order in which its transfers run.",
            discussion: """
                fair: others overtake a transfer that waits. strict: first in, first out, even during retries.
                """,
            valueName: "fair|strict"
        )
    )
    var order: TransferQueue.Order?

    @Option(
        help: ArgumentHelp(
            "In a strict queue, hold the transfers behind a failed one, or fail them too.",
            valueName: "hold|fail"
        )
    )
    var onFailure: TransferQueue.OnFailure?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Set the priority; queues with higher priority run first.", valueName: "number")
    )
    var priority: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Start no transfer while N transfers of any queue run to its host; 0 for no limit.",
            valueName: "count"
        )
    )
    var perHost: Int?

    @Option(
        help: ArgumentHelp(
            "Receive up to N bytes per second for all of its transfers together, in each process; or off.",
            valueName: "rate"
        )
    )
    var limitRate: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        let isEmpty =
            slots == nil && overflow == nil && order == nil && onFailure == nil && priority == nil
            && perHost == nil && limitRate == nil
        if isEmpty {
            throw ValidationError(
                "Say what to change: --slots, --overflow, --order, --on-failure, --priority, --per-host or --limit-rate."
            )
        }
        for (count, option) in [(slots, "--slots"), (perHost, "--per-host")] {
            if let count, count < 0 { throw ValidationError("\(option) must be at least 0.") }
        }
    }

    /// The requested change, read and checked.
    func change() throws(CommandFailure) -> QueueEdit {
        var edit = QueueEdit()
        edit.slots = slots
        edit.overflow = overflow?.meaning
        edit.order = order
        edit.onFailure = onFailure
        edit.priority = priority
        edit.perHost = perHost
        if let limitRate {
            do {
                edit.rateLimit = try RateLimit(parsing: limitRate)
            } catch {
                throw .usage("--limit-rate: \(error)")
            }
        }
        return edit
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let edit = try change()
            return try await session.withClient { client in
                do {
                    let isNew = try await !session.knowsQueue(name.text, client)
                    let queue = try await client.editQueue(name.text, edit)
                    try await session.tell(
                        queue,
                        "\(queue.terms).\(isNew ? " This queue is new." : "")",
                        client
                    )
                } catch let flaw as TransferQueue.Flaw {
                    throw CommandFailure.usage(
                        flaw.description,
                        hint: "For instance: `ferry queue set \(name.text) \(flaw.example)`."
                    )
                }
                return .done
            }
        }
    }
}

extension TransferQueue.Order: ExpressibleByArgument {
    /// Reads an order as a person types it.
    public init?(argument: String) { self.init(rawValue: argument) }
}

extension TransferQueue.OnFailure: ExpressibleByArgument {
    /// Reads an effect as a person types it.
    public init?(argument: String) { self.init(rawValue: argument) }
}

extension TransferQueue.Flaw {
    /// An example of valid options for a queue.
    fileprivate var example: String {
        switch self {
        case .name, .negative, .neverFull: "--slots 10 --overflow cancel-oldest"
        case .strictWithoutSlots, .strictWithoutWaiting: "--slots 1 --order strict --overflow wait"
        }
    }
}

/// What happens when a queue is full, as a command line names it.
enum QueueOverflow: String, ExpressibleByArgument, CaseIterable {
    case wait
    case cancelOldest = "cancel-oldest"
    case cancelOldestAlsoWaiting = "cancel-oldest-also-waiting"

    /// The engine's value.
    var meaning: TransferQueue.Overflow {
        switch self {
        case .wait: .wait
        case .cancelOldest: .cancelOldest
        case .cancelOldestAlsoWaiting: .cancelOldestAlsoWaiting
        }
    }
}
