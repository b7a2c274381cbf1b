/// An engine that lives as long as one closure.
extension TransferEngine {
    /// Opens an engine, runs it while `body` runs, then stops and closes it, also after an error.
    ///
    /// It stops gracefully, as in ``run()``: running transfers are checkpointed, and resume when an engine of the
    /// same store runs again. If the store fails meanwhile, `body` is cancelled.
    ///
    /// A program that consists of services opens an engine itself, and puts it into its `ServiceGroup`.
    ///
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; ``StoreError`` when the store could not be opened, read or written, even if
    ///   `body` returned or threw another error; ``StorageProblem`` as ``open(_:)``.
    public static func withEngine<Value: Sendable>(
        _ configuration: EngineConfiguration,
        _ body: @escaping @Sendable (TransferEngine) async throws -> Value
    ) async throws -> Value {
        let engine = try await open(configuration)
        let result = await engine.running(body)
        await engine.close()
        return try result.get()
    }

    /// Runs the engine while `body` runs.
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
                    // `body` may wait for an event that will never come.
                    group.cancelAll()
                case .body(let end): result = end
                }
            }
            // If both fail, the store's failure is the cause.
            return failure.map { .failure($0) } ?? result
        }
    }

    /// The side that has ended, and how.
    private enum End<Value: Sendable>: Sendable {
        case engine(Result<Void, any Error>)
        case body(Result<Value, any Error>)
    }
}
