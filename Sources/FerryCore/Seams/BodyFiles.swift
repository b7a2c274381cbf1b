/// The files that requests carry, and the copies of bodies that are not files.
package protocol BodyFiles: Sendable {
    /// Notes which file is at a path now, following symbolic links.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be read, or is not a regular file.
    func pin(_ path: String) async throws(StorageProblem) -> PinnedFile

    /// Notes which file is at the path of a pinned one now, changed or not. It is not a copy.
    ///
    /// - Throws: ``Problem``: `bodyChanged` when it is gone, and a condition when its disk is not mounted.
    func survey(_ file: PinnedFile) async throws(Problem) -> PinnedFile

    /// Opens a body, so that it can be sent.
    ///
    /// - Throws: ``Problem``: `bodyChanged` when one of its files is gone or is not the pinned one, and a condition when the disk of
    ///   one is not mounted.
    func open(_ body: StoredBody) async throws(Problem) -> RequestBody

    /// Computes digests of a body, in one pass over its files.
    ///
    /// - Returns: the digests, in the order of the algorithms.
    /// - Throws: ``Problem`` when a file is changed meanwhile.
    func digests(
        of body: RequestBody,
        by algorithms: [Checksum.Algorithm]
    ) async throws(Problem) -> [Checksum]

    /// Begins the copy of a body, for the transfer that will have this UUID. No one removes the copy until it is released.
    ///
    /// - Throws: ``StorageProblem`` when it cannot be created, also because the UUID has one.
    func copy(for uuid: TransferUUID) async throws(StorageProblem) -> any BodyCopy

    /// Releases copies whose transfers are recorded: they can be removed.
    func release(copiesFor uuids: [TransferUUID])

    /// Releases all copies, because no more transfers will be recorded; returns whether there were any.
    func releaseAll() -> Bool

    /// Removes the copy for a transfer that is over, if it has one.
    func removeCopy(for uuid: TransferUUID) async throws(StorageProblem)

    /// Removes copies that are not needed. Asks only about copies that no process is making.
    ///
    /// - Parameter isNeeded: whether an unfinished transfer has this UUID.
    func removeCopies(
        unless isNeeded: @Sendable (TransferUUID) async throws(StoreError) -> Bool
    ) async throws
}

/// A body that is being copied. One caller at a time uses it.
package protocol BodyCopy: Sendable {
    /// Adds bytes at the end.
    func append(_ bytes: [UInt8]) async throws(StorageProblem)

    /// Ends the copy. It survives power loss when this returns.
    func finish() async throws(StorageProblem) -> PinnedFile

    /// Removes the copy.
    func discard() async
}
