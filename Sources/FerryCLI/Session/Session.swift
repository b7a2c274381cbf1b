import ArgumentParser
import Ferry
import Logging

/// What a command works with: its environment, the console, and where the store is.
struct Session: Sendable {
    let environment: ProcessEnvironment
    let console: Console
    let dataDirectory: String
    /// What is set for all commands.
    let settings: Settings
    /// Where that was read, so that it can be read again.
    let settingsFile: SettingsFile?

    /// Runs a command's body, prints what went wrong, and ends with its status.
    ///
    /// - Throws: `ExitCode` unless everything that was asked for is done.
    static func run(
        _ options: GlobalOptions,
        _ body: (Session) async throws -> ExitStatus
    ) async throws {
        let variables = ProcessEnvironment.currentVariables()
        // What the settings say of colours is not known while they are read.
        var console = Console(options.appearance(in: variables, with: Settings()))
        var status: ExitStatus
        do {
            let environment = try ProcessEnvironment.current(variables)
            let file = try SettingsFile.find(option: options.config, environment: environment)
            let settings = try Settings(environment, file: file)
            console = Console(options.appearance(in: variables, with: settings))
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
                    settingsFile: file
                )
            )
        } catch {
            let failure = CommandFailure(error)
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

    /// What a command does with the store.
    enum Use: Sendable {
        /// It changes something, or runs transfers.
        case working
        /// It only looks.
        case looking
    }

    /// Opens an engine, and closes it whatever happens.
    func withEngine<Result>(
        for use: Use = .working,
        _ configure: (inout EngineConfiguration) -> Void = { _ in },
        _ body: (TransferEngine) async throws -> Result
    ) async throws -> Result {
        var configuration = EngineConfiguration(dataDirectory: dataDirectory)
        if let agent = settings[.userAgent] { configuration.userAgent = agent }
        configuration.logger = logger
        configure(&configuration)
        noticeMissingStore(for: use)
        let engine =
            switch use {
            case .working: try await TransferEngine.open(configuration)
            case .looking: try await TransferEngine.openToRead(configuration)
            }
        return try await closing(engine.close) { try await body(engine) }
    }

    /// Opens the store for a command that runs nothing, and closes it whatever happens.
    func withClient<Result>(
        for use: Use = .working,
        _ body: (TransferClient) async throws -> Result
    ) async throws -> Result {
        noticeMissingStore(for: use)
        let client =
            switch use {
            case .working: try await TransferClient.open(dataDirectory: dataDirectory, logger: logger)
            case .looking: try await TransferClient.openToRead(dataDirectory, logger)
            }
        return try await closing(client.close) { try await body(client) }
    }

    private var logger: Logger {
        Logger(label: "ferry") { _ in ConsoleLogHandler(console: console) }
    }

    private func noticeMissingStore(for use: Use) {
        if use == .looking, !holdsStore { console.notice(DataDirectory.noStoreText(dataDirectory)) }
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

    /// Whether there is a store to look at.
    var holdsStore: Bool { DataDirectory.holdsStore(dataDirectory) }

    /// Does something for each transfer, many of them at a time so that they share commits, and tells of each in order;
    /// one that fails is reported, and the others are still done.
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
                case .failure(let error)?: report(error, of: id, in: &status)
                case nil: preconditionFailure("each of them has ended")
                }
            }
        }
        return status
    }

    /// How many transfers are changed at a time.
    private static let mostTogether = 128

    /// Does something for each transfer; one that fails is reported, and the others are still done.
    ///
    /// - Returns: the status of the first failure.
    func each(_ ids: [TransferID], _ body: (TransferID) async throws -> Void) async -> ExitStatus {
        var status = ExitStatus.done
        for id in ids {
            do {
                try await body(id)
            } catch {
                report(error, of: id, in: &status)
            }
        }
        return status
    }

    /// Tells what failed for one of several; the status is that of the first failure.
    private func report(_ error: any Error, of id: TransferID, in status: inout ExitStatus) {
        let failure = CommandFailure(error, transfer: id)
        console.failure(failure)
        if status == .done { status = failure.status }
    }
}
