import ArgumentParser

/// `ferry cache`: the pools of the managed cache.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List, pin, trim and clear cached files, and set limits.",
        discussion: """
            `ferry get --cache POOL URL` downloads a file into a pool, and prints its path. A pool is a named cache with \
            limits of its own. Beyond a limit, the least recently used entries are evicted: they and their files are \
            removed. A pinned entry is not evicted.
            """,
        subcommands: [
            CacheSizeCommand.self, CacheListCommand.self, CacheSetCommand.self, CachePinCommand.self,
            CacheUnpinCommand.self, CacheTrimCommand.self, CacheClearCommand.self,
        ],
        defaultSubcommand: CacheSizeCommand.self
    )
}
