import ArgumentParser
import Ferry
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import UnixSignals

/// A server that downloads what it is asked for.
///
///     POST /downloads         with {"url": "https://…"}: begins a download and answers with its status
///     GET /downloads/ID       says how far it is
///     DELETE /downloads/ID    cancels it
///     GET /health             answers with 200 while the engine works
///
/// Stop it or kill it at any moment and start it again: it resumes.
@main
struct DownloadServer: AsyncParsableCommand {
    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Option(help: "The port to listen on.")
    var port = 8080

    @Option(help: "The directory for the files; the store is in its subdirectory .ferry.")
    var directory: String

    func run() async throws {
        let directory = URL(fileURLWithPath: directory).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let engine = try await TransferEngine.open(EngineConfiguration(dataDirectory: "\(directory)/.ferry"))
        let application = Application(
            router: Downloads(engine: engine, directory: directory).router(),
            configuration: .init(address: .hostname(host, port: port))
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                // The group stops them in reverse order: the server takes no more requests, then the engine checkpoints.
                services: [.init(service: engine), .init(service: application)],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: Logger(label: "download-server")
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
