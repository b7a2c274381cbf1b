/// The files that requests carry.
package protocol BodyFiles: Sendable {
    /// Notes which file is at a path now, following symbolic links.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be read, or is not a regular file.
    func pin(_ path: String) async throws(StorageProblem) -> PinnedFile

    /// Opens a body, so that it can be sent.
    ///
    /// - Throws: ``Problem``: `bodyChanged` when one of its files is gone or is not the pinned one.
    func open(_ body: StoredBody) async throws(Problem) -> RequestBody
}
