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
    /// Where random numbers come from.
    package var random: @Sendable () -> any RandomNumberGenerator
    /// Frees what the others share, after they were closed.
    package var release: @Sendable () async -> Void

    /// Creates a set of seams.
    package init(
        store: any TransferStore,
        transport: any HTTPTransport,
        files: any PartFileSystem,
        clock: any WallClock,
        host: any HostInspector,
        random: @escaping @Sendable () -> any RandomNumberGenerator = { SystemRandomNumberGenerator() },
        release: @escaping @Sendable () async -> Void = {}
    ) {
        self.store = store
        self.transport = transport
        self.files = files
        self.clock = clock
        self.host = host
        self.random = random
        self.release = release
    }
}
