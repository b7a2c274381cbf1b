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
            throw .defect("The threads for files have been stopped.")
        }
        return try result.get()
    }
}
