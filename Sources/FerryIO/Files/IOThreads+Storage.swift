internal import FerryCore

extension IOThreads {
    /// Does work with files on one of the threads; typed, and to its end even in a cancelled task, so that what
    /// was begun on a disk is never left half known.
    func storage<Value: Sendable>(
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
            // The work itself never throws: only threads that were shut down under a transfer come here.
            throw .stoppedThreads
        }
        return try result.get()
    }

    /// Does work with files on one of the threads, the result of which may come from another one later.
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

/// Is told how work with files ended.
typealias StorageCompletion = @Sendable (Result<Void, StorageProblem>) -> Void

extension StorageProblem {
    /// The threads were shut down under a transfer.
    static var stoppedThreads: StorageProblem { .defect("The threads for files have been stopped.") }
}
