import ArgumentParser
import Ferry
import FerryFrontend
import Logging
import Synchronization

/// The context of a command: its environment, the console, and the path of the store.
struct Session: Sendable {
    let environment: ProcessEnvironment
    let console: Console
    let dataDirectory: String
    /// The settings for all commands.
    let settings: Settings
    /// The source of the settings, so that they can be read again.
    let settingsFile: SettingsFile?
    /// Why the settings file is not used, in a command that runs without it.
    let settingsFailure: CommandFailure?

    /// Runs the body of a command, prints its failure, and ends with its status.
    ///
    /// - Parameters:
    ///   - needsSettings: whether a settings file that cannot be used is a failure. Otherwise the command runs with
    ///     the settings of the environment.
    ///   - explain: adds to a failure what the words of the command line tell about it.
    /// - Throws: `ExitCode` unless everything requested is done.
    static func run(
        _ options: GlobalInput,
        needsSettings: Bool = true,
        explaining explain: (CommandFailure) -> CommandFailure = { $0 },
        _ body: (Session) async throws -> ExitStatus
    ) async throws {
        let variables = ProcessEnvironment.currentVariables()
        // The settings' choice of colours is unknown while they are read.
        var console = Console(options.appearance(in: variables, with: Settings()))
        var status: ExitStatus
        do {
            let environment = try ProcessEnvironment.current(variables)
            let file = try SettingsFile.find(option: options.config, environment: environment)
            var settingsFailure: CommandFailure?
            let settings: Settings
            do {
                settings = try Settings(environment, file: file)
            } catch {
                guard !needsSettings else { throw error }
                settingsFailure = CommandFailure(error)
                settings = try Settings(environment, file: nil)
            }
            console = Console(options.appearance(in: variables, with: settings))
            for warning in Settings.misspelt(variables.keys) { console.warning(warning) }
            let directory = try DataDirectory.path(
                option: options.dataDir,
                environment: environment,
                settings: settings
            )
            status = try await body(
                Session(
                    environment: environment,
                    console: console,
                    dataDirectory: directory,
                    settings: settings,
                    settingsFile: file,
                    settingsFailure: settingsFailure
                )
            )
        } catch {
            let failure = explain(CommandFailure(error))
            console.clear()
            console.failure(failure)
            status = failure.status
        }
        await console.finish()
        if status == .done, let failure = console.outputFailure {
            console.failure(failure)
            status = failure.status
            await console.finish()
        }
        if status != .done { throw ExitCode(status.rawValue) }
    }

    /// How a command uses the store.
    enum Use: Sendable {
        /// It changes the store, or runs transfers.
        case working
        /// It only reads the store.
        case reading
        /// It only asks servers.
        case asking
    }

    /// Opens the engine, and closes it also after an error.
    func withEngine<Result>(
        for use: Use = .working,
        _ configure: (inout EngineConfiguration) -> Void = { _ in },
        _ body: (TransferEngine) async throws -> Result
    ) async throws -> Result {
        var configuration = EngineConfiguration(dataDirectory: dataDirectory)
        if let agent = settings[.userAgent] { configuration.userAgent = agent }
        configuration.logger = logger
        configuration.objectStoreAccess = { [environment] in
            try await ObjectStoreAccess.find(for: $0, environment)
        }
        configure(&configuration)
        noticeMissingStore(for: use)
        let engine =
            switch use {
            case .working: try await TransferEngine.open(configuration)
            case .reading, .asking: try await TransferEngine.openToRead(configuration)
            }
        Self.latest.withLock { $0 = engine }
        return try await closing(engine.close) { try await body(engine) }
    }

    /// The latest engine. It is kept, because it would otherwise be freed object by object just before the process ends.
    private static let latest = Mutex<TransferEngine?>(nil)

    /// Opens the store for a command that runs nothing, and closes it whatever happens.
    func withClient<Result>(
        for use: Use = .working,
        _ body: (TransferClient) async throws -> Result
    ) async throws -> Result {
        noticeMissingStore(for: use)
        let client =
            switch use {
            case .working: try await TransferClient.open(dataDirectory: dataDirectory, logger: logger)
            case .reading, .asking: try await TransferClient.openToRead(dataDirectory, logger)
            }
        return try await closing(client.close) { try await body(client) }
    }

    private var logger: Logger {
        Logger(label: "ferry") { _ in ConsoleLogHandler(console: console) }
    }

    private func noticeMissingStore(for use: Use) {
        guard use == .reading, !holdsStore else { return }
        if let text = DataDirectory.noStoreText(dataDirectory) { console.notice(text) }
    }

    private func closing<Result>(
        _ close: () async -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            let result = try await body()
            await close()
            return result
        } catch {
            await close()
            throw error
        }
    }

    /// Whether a store exists.
    var holdsStore: Bool { DataDirectory.holdsStore(dataDirectory) }

    /// Runs `body` for each transfer, many at a time so that they share commits, and reports each in order. A failure
    /// is reported, and the others continue.
    func eachTogether<Value: Sendable>(
        _ ids: [TransferID],
        _ body: @escaping @Sendable (TransferID) async throws -> Value,
        tell: (Value) -> Void
    ) async -> ExitStatus {
        var status = ExitStatus.done
        for start in stride(from: 0, to: ids.count, by: Self.mostTogether) {
            let some = Array(ids[start..<min(ids.count, start + Self.mostTogether)])
            let results = await withTaskGroup(of: (Int, Result<Value, any Error>).self) { group in
                for (index, id) in some.enumerated() {
                    group.addTask {
                        do {
                            return (index, .success(try await body(id)))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            for (index, id) in some.enumerated() {
                switch results[index] {
                case .success(let value)?: tell(value)
                case .failure(let error)?: console.report(error, of: id, in: &status)
                case nil: preconditionFailure("each of them has ended")
                }
            }
        }
        return status
    }

    /// Maximum transfers changed at a time.
    private static let mostTogether = 128

    /// Runs `body` for each transfer. A failure is reported, and the others continue.
    ///
    /// - Returns: the status of the first failure.
    func each(_ ids: [TransferID], _ body: (TransferID) async throws -> Void) async -> ExitStatus {
        var status = ExitStatus.done
        for id in ids {
            do {
                try await body(id)
            } catch {
                console.report(error, of: id, in: &status)
            }
        }
        return status
    }
}
