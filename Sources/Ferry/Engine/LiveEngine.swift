import FerryCore
import FerryIO
import FerrySQLite
import Logging

/// The one place that knows what the live engine is made of.
extension TransferEngine {
    /// Opens the store and makes an engine over the real network and the real disk.
    ///
    /// - Throws: ``StoreError`` when the store cannot be opened; ``StorageProblem`` when the machine does not
    ///   tell what Ferry must know of it.
    public static func open(_ configuration: EngineConfiguration) async throws -> TransferEngine {
        let host = try LinuxHostInspector()
        let clock = SystemClock()
        let store = try await SQLiteTransferStore.open(
            directory: configuration.dataDirectory,
            localTime: clock.localTime
        )
        let threads = IOThreads()
        let logger = configuration.logger
        let engine = TransferEngine(
            configuration,
            seams: EngineSeams(
                store: store,
                transport: AsyncHTTPClientTransport(threads: threads),
                files: POSIXPartFileSystem(threads: threads),
                clock: clock,
                host: host,
                network: LinuxNetworkMonitor(),
                release: {
                    do {
                        try await threads.shutdown()
                    } catch {
                        logger.warning("The I/O threads did not end.", metadata: ["error": "\(error)"])
                    }
                }
            )
        )
        // What a process left that was killed is not shown as running.
        do {
            try await engine.rescueTheDead()
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }
}
