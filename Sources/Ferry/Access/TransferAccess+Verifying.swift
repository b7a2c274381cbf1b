/// Checking: finished files, destinations, and the store itself.
extension TransferAccess {
    /// Reads the file of a completed transfer again and computes its digest.
    ///
    /// Reads whatever file now has the final name, even if it is not the published one.
    ///
    /// - Parameter checksum: the expected digest; `nil` takes the one that the transfer was given.
    /// - Throws: `StoreError.notPossible` when the transfer is not completed, is not a download, went to a stream, is sealed,
    ///   or was given no digest; `StorageProblem` when the file is gone or cannot be read.
    public func verify(_ id: TransferID, against checksum: Checksum? = nil) async throws -> Verification {
        let transfer = try await snapshot(of: id)
        guard transfer.state == .completed else {
            throw StoreError.notPossible(
                id,
                "Transfer \(id) is \(transfer.state.name), so it has no finished file."
            )
        }
        guard let download = transfer.download else {
            throw StoreError.notPossible(
                id,
                "Transfer \(id) is a \(transfer.kind.rawValue), which saves no file."
            )
        }
        guard let place = download.place else {
            throw StoreError.notPossible(id, "Transfer \(id) went to a stream, which keeps no bytes.")
        }
        guard download.progress.part?.seal == nil else {
            throw StoreError.notPossible(
                id,
                "The file of transfer \(id) is sealed, and Ferry has no key to read it. Open it to verify it."
            )
        }
        guard let expected = checksum ?? download.expectedDigest else {
            throw StoreError.notPossible(
                id,
                "Transfer \(id) has no digest, so nothing was compared.",
                [.giveDigest]
            )
        }
        let found = try await digest(expected.algorithm, of: place)
        return Verification(transfer: id, path: place.path, expected: expected, found: found)
    }

    /// What a destination really is. A name of a device or a FIFO is a stream, which is written to and never replaced.
    ///
    /// - Throws: ``StorageProblem`` when its directory is missing or cannot be used.
    public func examine(_ destination: Destination) async throws(StorageProblem) -> Destination {
        guard case .file(let directory, let name) = destination else { return destination }
        let probe = FilePlace(directory: directory, name: name ?? .fallback)
        let survey = try await client.seams.files.survey(probe)
        return name != nil && survey.final?.kind == .stream ? .stream(path: probe.path) : destination
    }

    /// What exists under a final name, and under its part file's name.
    ///
    /// - Throws: ``StorageProblem`` when the directory is missing or cannot be used.
    package func survey(_ place: FilePlace) async throws(StorageProblem) -> FileSurvey {
        try await client.seams.files.survey(place)
    }

    /// Rebuilds the data that the store derives from its transfers, where another program has damaged it. Returns
    /// descriptions of what was wrong; empty if nothing was. No transfer is changed.
    public func mendStore() async throws(StoreError) -> [String] {
        try await client.seams.mend()
    }

    /// Checks the whole store; returns descriptions of what is wrong, empty if nothing is.
    public func verifyStore() async throws(StoreError) -> [String] {
        try await client.store.verify()
    }

    /// Reads a file, and computes its digest.
    ///
    /// - Throws: ``StorageProblem`` when it is gone or cannot be read.
    package func digest(
        _ algorithm: Checksum.Algorithm,
        of place: FilePlace
    ) async throws(StorageProblem) -> Checksum {
        try await client.seams.files.digest(algorithm, of: place)
    }
}
