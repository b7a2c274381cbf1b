import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache trim`: evicts what limits leave no room for.
struct CacheTrimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Evict what a pool has no room for, and delete its files without an entry."
    )

    @Argument(
        help: ArgumentHelp("Only this pool; by default, all pools.", valueName: "pool"),
        transform: PoolName.read
    )
    var pool: PoolName?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global) { session in
            try await session.withClient { client in
                let known = try await client.cachePools().map(\.pool)
                var count = 0
                for name in pool.map({ [$0.text] }) ?? known { count += try await client.cache(name).trim() }
                CacheRun(session).tellEvicted(count, "Evicted")
                return .done
            }
        }
    }
}
