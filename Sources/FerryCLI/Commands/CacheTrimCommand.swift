import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache trim`: evicts what limits leave no room for.
struct CacheTrimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Evict entries beyond the limits of a pool, and delete files without an entry."
    )

    @OptionGroup var pool: OptionalPoolArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                let run = CacheRun(session)
                var count = 0
                for pool in try await run.pools(pool.name, in: client) { count += try await pool.trim() }
                run.tellEvicted(count, "Evicted")
                return .done
            }
        }
    }
}
