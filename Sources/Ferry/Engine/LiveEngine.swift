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
        let engine = try await assemble(configuration, within: try descriptors())
        // Such an engine reads what there is, and whatever it is asked to change fails.
        guard !engine.isReadOnly else { return engine }
        // What a process left that was killed is not shown as running.
        do {
            try await engine.rescueTheDead()
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    /// Opens the store only to look at it: what processes that died have left stays as it is.
    package static func openToRead(_ configuration: EngineConfiguration) async throws -> TransferEngine {
        try await assemble(configuration, within: try descriptors(toLook: true), toLook: true)
    }

    private static func assemble(
        _ configuration: EngineConfiguration,
        within descriptors: DescriptorBudget,
        toLook: Bool = false
    ) async throws -> TransferEngine {
        let host = try LinuxHostInspector(directory: configuration.dataDirectory)
        let clock = SystemClock()
        let store = try await SQLiteTransferStore.open(
            directory: configuration.dataDirectory,
            localTime: clock.localTime,
            toLook: toLook
        )
        let threads = IOThreads()
        let logger = configuration.logger
        return TransferEngine(
            configuration,
            seams: EngineSeams(
                store: store,
                transport: AsyncHTTPClientTransport(
                    threads: threads,
                    keepsIdleConnections: descriptors.keepsIdleConnections
                ),
                files: POSIXPartFileSystem(threads: threads),
                clock: clock,
                host: host,
                network: LinuxNetworkMonitor(),
                decoder: { InflatingDecoder($0) },
                descriptors: descriptors,
                release: {
                    do {
                        try await threads.shutdown()
                    } catch {
                        logger.warning("The I/O threads did not end.", metadata: ["error": "\(error)"])
                    }
                }
            )
        )
    }

    /// How many bytes of memory addresses this process has in use; `nil` where the system does not tell.
    package static func addressSpace() -> Int? { Platform.addressSpace() }

    /// The descriptors that this process may still open.
    ///
    /// - Parameter toLook: whether the store is only looked at, and nothing is transferred.
    /// - Throws: ``StorageProblem`` with `cannotOpen` when they are too few for that, or for an engine and one transfer.
    @discardableResult
    package static func descriptors(toLook: Bool = false) throws(StorageProblem) -> DescriptorBudget {
        let (limit, open) = Platform.descriptors()
        let budget = DescriptorBudget(limit: limit, open: open)
        guard !(toLook ? budget.isEnoughToLook : budget.isEnough) else { return budget }
        let needed =
            toLook ? DescriptorBudget.toLook : DescriptorBudget.reserve + DescriptorBudget.perTransfer
        throw StorageProblem(
            .permanent(
                .cannotOpen,
                "This process may have \(limit) files open at once and has \(open); "
                    + "ferry needs \(needed) more. Nothing was done.",
                hint: "Raise the limit, as with `ulimit -n 256`, and try again."
            ),
            errno: 0
        )
    }
}
