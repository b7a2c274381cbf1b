import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache unpin`: lets entries be evicted again.
struct CacheUnpinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let pinned entries be evicted again."
    )

    @OptionGroup var entries: CacheKeyArguments
    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                try await CacheRun(session).change(entries, in: client, "no longer pinned.") {
                    try await $0.unpin($1)
                }
            }
        }
    }
}
