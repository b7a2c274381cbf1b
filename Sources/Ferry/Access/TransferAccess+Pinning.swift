public import FerryCore

extension TransferAccess {
    /// Notes which file is at a path now, so that a request can carry it (``StoredBody/init(_:)-(PinnedFile)``). Symbolic
    /// links are followed.
    ///
    /// - Parameter path: an absolute path, because a request may be sent by a process in another directory.
    /// - Throws: ``TransferFailure`` when the file cannot be read, or is not a regular file.
    public func pin(_ path: String) async throws(TransferFailure) -> PinnedFile {
        guard path.hasPrefix("/") else {
            throw TransferFailure(.cannotOpen, "\(path) is not an absolute path.")
        }
        do throws(StorageProblem) {
            return try await client.seams.bodies.pin(path)
        } catch {
            throw error.problem.failure
        }
    }
}
