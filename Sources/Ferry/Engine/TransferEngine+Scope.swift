/// An engine that lasts as long as what it is used for.
extension TransferEngine {
    /// Opens an engine, runs it while `body` does, and stops and closes it whatever comes of that.
    ///
    /// Stopping is graceful, as in ``run()``: what is under way when `body` ends is checkpointed, and goes on when an
    /// engine of the same store runs again. Should the store fail meanwhile, `body` is cancelled.
    ///
    /// A program that is made of services opens an engine itself, and puts it into its `ServiceGroup`.
    ///
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw; ``StoreError`` when the store could not be opened, read or written, whatever `body`
    ///   made of that; ``StorageProblem`` as ``open(_:)``.
    public static func withEngine<Value: Sendable>(
        _ configuration: EngineConfiguration,
        _ body: @escaping @Sendable (TransferEngine) async throws -> Value
    ) async throws -> Value {
        let engine = try await open(configuration)
        let result = await engine.running(body)
        await engine.close()
        return try result.get()
    }

    /// Runs the engine while `body` does.
    package func running<Value: Sendable>(
        _ body: @escaping @Sendable (TransferEngine) async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: End<Value>.self) { group in
            group.addTask {
                do {
                    return .engine(.success(try await self.run()))
                } catch {
                    return .engine(.failure(error))
                }
            }
            group.addTask {
                defer { self.stop() }
                do {
                    return .body(.success(try await body(self)))
                } catch {
                    return .body(.failure(error))
                }
            }
            var result = Result<Value, any Error>.failure(CancellationError())
            var failure: (any Error)?
            for await end in group {
                switch end {
                case .engine(.success): break
                case .engine(.failure(let error)):
                    failure = error
                    // It may wait for what will never come.
                    group.cancelAll()
                case .body(let end): result = end
                }
            }
            // Of what went wrong, the store's failure is the cause.
            return failure.map { .failure($0) } ?? result
        }
    }

    /// What has ended, and how.
    private enum End<Value: Sendable>: Sendable {
        case engine(Result<Void, any Error>)
        case body(Result<Value, any Error>)
    }
}
