import FerryCore
import FerryIO
import FerrySQLite
import Logging

/// Assembles the live engine. No other file knows its parts.
extension TransferEngine {
    /// Opens the store and creates an engine over the real network and the real disk.
    ///
    /// - Throws: ``StoreError`` when the store cannot be opened; ``StorageProblem`` when the system does not report
    ///   what Ferry needs to know, or when too few descriptors are left.
    public static func open(_ configuration: EngineConfiguration) async throws -> TransferEngine {
        let engine = try await assemble(configuration, within: try descriptors())
        // A read-only engine can look; every change fails.
        guard !engine.isReadOnly else { return engine }
        // Transfers of a killed process must not be shown as running.
        do {
            try await engine.rescueTheDead()
        } catch {
            await engine.close()
            throw error
        }
        return engine
    }

    /// Opens the store only to read it: what dead processes left stays as it is.
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

    /// Number of bytes of address space that this process uses; `nil` if the system does not report it.
    package static func addressSpace() -> Int? { Platform.addressSpace() }

    /// The descriptors that this process may still open.
    ///
    /// - Parameter toLook: whether the store is only read, and nothing is transferred.
    /// - Throws: ``StorageProblem`` with `cannotOpen` when too few are left to read, or to run an engine and one
    ///   transfer.
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
