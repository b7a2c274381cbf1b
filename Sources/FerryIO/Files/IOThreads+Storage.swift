package import FerryCore

extension IOThreads {
    /// Runs file work on one of the threads, with typed errors. The work runs to its end even in a cancelled
    /// task, so that the outcome of a disk operation is always known.
    package func storage<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StorageProblem) -> Value
    ) async throws(StorageProblem) -> Value {
        let result: Result<Value, StorageProblem>
        do {
            result = try await run {
                do throws(StorageProblem) {
                    return .success(try work())
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            // The work itself never throws here: this happens only when the threads were shut down during a
            // transfer.
            throw .stoppedThreads
        }
        return try result.get()
    }

    /// Runs file work on one of the threads; its result may arrive later from another thread.
    ///
    /// - Parameter work: calls its argument exactly once.
    func storage(
        completedBy work: @escaping @Sendable (_ completion: @escaping StorageCompletion) -> Void
    ) async throws(StorageProblem) {
        let result: Result<Void, StorageProblem> = await withCheckedContinuation { continuation in
            submit { isRunning in
                guard isRunning else { return continuation.resume(returning: .failure(.stoppedThreads)) }
                work { continuation.resume(returning: $0) }
            }
        }
        try result.get()
    }
}

/// Called with the result of file work.
typealias StorageCompletion = @Sendable (Result<Void, StorageProblem>) -> Void

extension StorageProblem {
    /// The threads were shut down during a transfer.
    static var stoppedThreads: StorageProblem { .defect("The threads for files have been stopped.") }
}
