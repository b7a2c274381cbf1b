import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache size`: lists the pools with their sizes and limits.
struct CacheSizeCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "size",
        abstract: "List pools with their sizes and limits."
    )

    @OptionGroup var pool: OptionalPoolArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient(for: .reading) { client in
                var pools: [PoolSummary] = []
                for pool in try await CacheRun(session).pools(pool.name, in: client) {
                    pools.append(PoolSummary(settings: try await pool.settings, size: try await pool.size))
                }
                if global.json {
                    for pool in pools { session.console.data(pool.json) }
                } else if pools.isEmpty {
                    session.console.notice("No pools.")
                } else {
                    let lines = PoolTable.lines(pools, columns: session.console.outputColumns)
                    for line in lines { session.console.data(line) }
                }
                return .done
            }
        }
    }
}
