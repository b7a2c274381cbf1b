import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache list`: lists the entries of pools.
struct CacheListCommand: StoreReadingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the entries of a pool, or of all pools, and check that their files exist."
    )

    @OptionGroup var pool: OptionalPoolArgument

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient(for: .reading) { client in
                var isEmpty = true
                for pool in try await CacheRun(session).pools(pool.name, in: client) {
                    try await pool.forEachEntry { entry in
                        if global.json {
                            session.console.data(entry.json)
                        } else {
                            let prefix = self.pool.name == nil ? "\(pool.name)  " : ""
                            session.console.data(prefix + PoolTable.line(entry))
                        }
                        isEmpty = false
                        await session.console.room()
                    }
                }
                if isEmpty, !global.json { session.console.notice("No entries.") }
                return .done
            }
        }
    }
}
