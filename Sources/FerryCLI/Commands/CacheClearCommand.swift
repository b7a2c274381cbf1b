import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache clear`: removes entries and their files.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove entries that are not pinned, and their files.",
        discussion:
            "The file of an entry that an application uses is deleted when the application releases it."
    )

    @OptionGroup var pool: PoolArgument

    @Argument(
        help: ArgumentHelp("Remove only the entries of these URLs, pinned or not.", valueName: "url")
    )
    var keys: [String] = []

    @Flag(help: "Also remove pinned entries.")
    var pinned = false

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func run() async throws {
        try await Session.run(global.input) { session in
            try await session.withClient { client in
                let run = CacheRun(session)
                let pool = try await run.pool(pool.name, in: client)
                guard !keys.isEmpty else {
                    run.tellEvicted(try await pool.removeAll(pinned ? nil : .cached), "Removed")
                    return .done
                }
                var (count, status) = (0, ExitStatus.done)
                for word in keys {
                    let (former, keys) = (count, CacheKey.named(by: word))
                    for key in keys where try await pool.remove(key) { count += 1 }
                    guard count == former else { continue }
                    let hint = "`ferry cache list \(pool.name)` lists its files."
                    run.tellAbsence(of: keys[0], from: pool, hint)
                    status = .notFound
                }
                run.tellEvicted(count, "Removed")
                return status
            }
        }
    }
}
