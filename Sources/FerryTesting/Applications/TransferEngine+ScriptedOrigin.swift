public import Ferry
internal import FoundationEssentials

/// Engines for the tests of an application.
extension TransferEngine {
    /// Opens an engine whose servers are a scripted origin. Nothing reaches the network; the store and the files are real.
    ///
    /// Retries come after a hundredth of the usual time. All else is as in ``open(_:)``. Run it in the `ServiceGroup` of the
    /// application, or with ``run()``; close it at the end. To test a restart, open another engine with the same directory
    /// and the same origin.
    ///
    /// - Parameters:
    ///   - configuration: that of the application, with a data directory of the test. Without a network monitor of its own,
    ///     the engine does not watch the network of the machine.
    ///   - origin: the servers.
    /// - Throws: as ``open(_:)``.
    public static func open(
        _ configuration: EngineConfiguration,
        with origin: ScriptedOrigin
    ) async throws -> TransferEngine {
        var configuration = configuration
        configuration.networkMonitor = configuration.networkMonitor ?? UnwatchedNetwork()
        return try await open(configuration, over: origin, random: EarlyDraw())
    }

    /// Opens an engine over a scripted origin in a new temporary directory, and runs it while `body` runs. Then it stops
    /// and closes the engine, and removes the directory.
    ///
    /// - Parameters:
    ///   - origin: the servers.
    ///   - body: the test. Its arguments are the engine and the absolute path of an empty directory for files.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; as ``open(_:with:)``; an error of the file system.
    public static func withEngine<Value: Sendable>(
        with origin: ScriptedOrigin,
        _ body: @escaping @Sendable (TransferEngine, String) async throws -> Value
    ) async throws -> Value {
        let folder = "\(FileManager.default.temporaryDirectory.path)/ferry-\(TransferUUID())"
        let files = "\(folder)/files"
        try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
        let result: Result<Value, any Error>
        do {
            let engine = try await open(EngineConfiguration(dataDirectory: "\(folder)/store"), with: origin)
            result = await engine.running { try await body($0, files) }
            await engine.close()
        } catch {
            result = .failure(error)
        }
        try FileManager.default.removeItem(atPath: folder)
        return try result.get()
    }
}

/// Draws a number near the beginning of every range, so that retries come early.
private struct EarlyDraw: RandomNumberGenerator, Sendable {
    /// A range of N numbers gives its number N / 128. The standard library multiplies this by N, takes the high half, and
    /// draws again only if the low half is less than N. The lower bit of the two keeps the low half above that.
    func next() -> UInt64 { 1 << 57 | 1 << 32 }
}
