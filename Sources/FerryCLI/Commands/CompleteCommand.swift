import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry complete`: prints the words that a shell offers. The completion scripts call it.
struct CompleteCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete",
        abstract: "Print the words that a shell completes.",
        shouldDisplay: false
    )

    /// What is completed.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case ids
        case queues
        case pools
    }

    @Argument(help: ArgumentHelp("What to print.", valueName: "kind"))
    var kind: Kind

    @OptionGroup(title: "Global options") var global: GlobalOptions

    /// The most words that are offered; a store may have a million transfers.
    private static let most = 200

    func run() async throws {
        try await Session.run(global.input) { session in
            guard session.holdsStore else { return .done }
            return try await session.withClient(for: .reading) { client in
                let words =
                    switch kind {
                    case .ids: try await Self.ids(in: client)
                    case .queues: try await client.queues().map(\.id)
                    case .pools: try await client.cachePools().map(\.pool)
                    }
                for word in words { session.console.data(word) }
                return .done
            }
        }
    }

    /// The IDs of unfinished and failed transfers.
    private static func ids(in client: TransferClient) async throws -> [String] {
        var words: [String] = []
        for name in TransferState.Name.allCases where name != .completed && name != .cancelled {
            words += try await client.transfers(.state(name), limit: most - words.count).map { "\($0.id)" }
            if words.count >= most { break }
        }
        return words
    }
}
