import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache pin`: keeps entries from being evicted.
struct CachePinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep entries from being evicted."
    )

    @OptionGroup var entries: CacheKeyArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                try await CacheRun(session).change(entries, in: client, "pinned.") { try await $0.pin($1) }
            }
        }
    }
}
