import ArgumentParser
import Ferry
import FerryFrontend

/// `ferry cache set`: changes the settings of a pool.
struct CacheSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the limits of a pool.",
        discussion:
            "A lower limit takes effect with the next download into the pool, or with `ferry cache trim`."
    )

    @OptionGroup var pool: PoolArgument

    @Option(
        help: ArgumentHelp(
            "Keep up to N bytes of entries that are not pinned, such as 500M or 2G; or off (default).",
            valueName: "size"
        )
    )
    var maxBytes: String?

    @Option(
        help: ArgumentHelp(
            "Evict entries that were not used for this long: 30d, 12h or 90m; or off (default).",
            valueName: "time"
        )
    )
    var maxAge: String?

    @Option(
        help: ArgumentHelp(
            "Serve a file for this long without asking the server: 1h or 7d (default 1d), or always; 0 asks each time.",
            valueName: "time"
        )
    )
    var freshFor: String?

    @Option(
        help: ArgumentHelp(
            "Keep the files in this directory, and use it for nothing else. The pool must be empty.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var dir: String?

    @OptionGroup(title: "Global options") var global: GlobalOptions

    func validate() throws {
        if maxBytes == nil, maxAge == nil, freshFor == nil, dir == nil {
            throw ValidationError("Say what to change: --max-bytes, --max-age, --fresh-for or --dir.")
        }
    }

    /// The requested change, read and checked.
    func change(in environment: ProcessEnvironment) throws(CommandFailure) -> CacheEdit {
        var edit = CacheEdit()
        if let maxBytes {
            do {
                edit.maxBytes = try .some(maxBytes == "off" ? nil : ByteCount(parsing: maxBytes).bytes)
            } catch {
                throw .usage("--max-bytes must be a number of bytes, such as 500M or 2G, or off.")
            }
        }
        edit.maxAge = try Self.time(maxAge, unless: "off", "--max-age")
        edit.freshFor = try Self.time(freshFor, unless: "always", "--fresh-for")
        if let dir { edit.directory = .some(FilePath.absolute(dir, in: environment.workingDirectory)) }
        return edit
    }

    private static func time(
        _ text: String?,
        unless word: String,
        _ option: String
    ) throws(CommandFailure) -> Duration?? {
        guard let text else { return nil }
        if text == word { return .some(nil) }
        return try .some(text == "0" ? .zero : Seconds.parse(text, withUnit: option, example: "30d"))
    }

    func run() async throws {
        try await Session.run(global.input) { session in
            let edit = try change(in: session.environment)
            return try await session.withClient { client in
                let pool = client.cache(pool.text)
                let settings = try await pool.edit(edit)
                if global.json {
                    session.console.data(PoolSummary(settings: settings, size: try await pool.size).json)
                } else {
                    session.console.notice("Pool \(settings.pool): \(settings.terms).")
                }
                return .done
            }
        }
    }
}
