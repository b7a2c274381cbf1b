package import FerryCore

/// Everything outside the engine that it works with; the live ones are wired in `LiveEngine.swift`, and tests put
/// scripted ones in their place.
package struct EngineSeams: Sendable {
    /// Where transfers are kept.
    package var store: any TransferStore
    /// What carries requests.
    package var transport: any HTTPTransport
    /// Where files are.
    package var files: any PartFileSystem
    /// The time.
    package var clock: any WallClock
    /// This machine.
    package var host: any HostInspector
    /// The routes of this machine.
    package var network: any NetworkMonitor
    /// Where random numbers come from; one source for the whole engine, so that a seed rules all that it draws.
    package var random: RandomSource
    /// What undoes a content coding; `nil` when there is nothing that can.
    package var decoder: @Sendable (ContentCoding) -> (any ContentDecoder)?
    /// What every task of the engine runs on; `nil` for the pool that all programs share.
    package var executor: (any TaskExecutor)?
    /// How many descriptors there are for transfers.
    package var descriptors: DescriptorBudget
    /// Frees what the others share, after they were closed.
    package var release: @Sendable () async -> Void

    /// Creates a set of seams.
    package init(
        store: any TransferStore,
        transport: any HTTPTransport,
        files: any PartFileSystem,
        clock: any WallClock,
        host: any HostInspector,
        network: any NetworkMonitor = UnwatchedNetwork(),
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        decoder: @escaping @Sendable (ContentCoding) -> (any ContentDecoder)? = { _ in nil },
        executor: (any TaskExecutor)? = nil,
        descriptors: DescriptorBudget = .ample,
        release: @escaping @Sendable () async -> Void = {}
    ) {
        self.store = store
        self.transport = transport
        self.files = files
        self.clock = clock
        self.host = host
        self.network = network
        self.random = RandomSource(random)
        self.decoder = decoder
        self.executor = executor
        self.descriptors = descriptors
        self.release = release
    }
}
