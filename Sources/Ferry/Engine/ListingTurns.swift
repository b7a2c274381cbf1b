/// Reads listings one after the other, so that the memory for reading them does not add up (I9), and large ones do not keep
/// all threads of the process from everything else.
actor ListingTurns {
    /// Waits until the listings before have been read, and reads one.
    ///
    /// - Parameter read: should look at `Task.isCancelled` from time to time.
    /// - Throws: what `read` throws; `CancellationError` if the task is cancelled, whatever `read` found.
    func read<Result: Sendable>(_ read: @Sendable () throws -> Result) throws -> Result {
        try Task.checkCancellation()
        do {
            let result = try read()
            try Task.checkCancellation()
            return result
        } catch {
            // What was not read to its end says nothing about the server.
            try Task.checkCancellation()
            throw error
        }
    }
}
