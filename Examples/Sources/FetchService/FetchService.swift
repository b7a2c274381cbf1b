import ArgumentParser
import Console
import Ferry
import Logging
import ServiceLifecycle
import UnixSignals

/// A service that downloads what it is asked for, and is stopped and started as its operator likes.
///
/// What it was asked for and has acknowledged is downloaded, if not by this process then by the next.
@main
struct FetchService: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Downloads each URL that comes, a line each, until it is stopped."
    )

    @Option(help: "An absolute path: where the files go.")
    var directory = Console.currentDirectory

    func run() async throws {
        let engine = try await TransferEngine.open(EngineConfiguration(dataDirectory: "\(directory)/.ferry"))
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // The group stops them in reverse order: the desk takes no more orders, the engine checkpoints, and the
                // clerk reports all of that.
                services: [
                    .init(service: Clerk(updates: engine.updates())),
                    .init(service: engine),
                    // When the order desk ends, the other services continue.
                    .init(
                        service: OrderDesk(engine: engine, directory: directory),
                        successTerminationBehavior: .ignore
                    ),
                ],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "fetch-service")
            )
        )
        do {
            try await services.run()
        } catch {
            await engine.close()
            throw error
        }
        await engine.close()
    }
}
