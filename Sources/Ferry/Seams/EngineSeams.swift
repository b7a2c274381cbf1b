package import FerryCore

/// Everything outside the engine that it works with. `LiveEngine.swift` wires the live seams; tests use scripted ones.
package struct EngineSeams: Sendable {
    /// Where transfers are kept.
    package var store: any TransferStore
    /// The HTTP transport.
    package var transport: any HTTPTransport
    /// The file system.
    package var files: any PartFileSystem
    /// The clock.
    package var clock: any WallClock
    /// This machine.
    package var host: any HostInspector
    /// The routes of this machine.
    package var network: any NetworkMonitor
    /// The source of random numbers; one for the whole engine, so that a seed determines all of its draws.
    package var random: RandomSource
    /// Makes the decoder of a content coding; `nil` for an unknown coding.
    package var decoder: @Sendable (ContentCoding) -> (any ContentDecoder)?
    /// The executor of every task of the engine; `nil` for the global pool.
    package var executor: (any TaskExecutor)?
    /// The descriptors available for transfers.
    package var descriptors: DescriptorBudget
    /// Releases what the other seams share, after they were closed.
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
