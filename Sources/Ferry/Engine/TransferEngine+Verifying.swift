extension TransferEngine {
    /// Reads the file of a completed transfer again and computes its digest.
    ///
    /// Reads whatever file now has the final name, even if it is not the published one.
    ///
    /// - Parameter checksum: the expected digest; `nil` takes the one that the transfer was given.
    /// - Throws: `StoreError.notPossible` when the transfer is not completed, went to a stream, or was given no
    ///   digest; `StorageProblem` when the file is gone or cannot be read.
    public func verify(_ id: TransferID, against checksum: Checksum? = nil) async throws -> Verification {
        let transfer = try await snapshot(of: id)
        guard transfer.state == .completed else {
            throw StoreError.notPossible(
                id,
                "Transfer \(id) is \(transfer.state.name), so it has no finished file."
            )
        }
        guard let place = transfer.place else {
            throw StoreError.notPossible(id, "Transfer \(id) went to a stream, which keeps no bytes.")
        }
        guard let expected = checksum ?? transfer.download?.expectedDigest else {
            throw StoreError.notPossible(
                id,
                "Transfer \(id) has no digest. Give one with `ferry verify --checksum sha256=HEX \(id)`."
            )
        }
        let found = try await digest(expected.algorithm, of: place)
        return Verification(transfer: id, path: place.path, expected: expected, found: found)
    }

    private func digest(
        _ algorithm: Checksum.Algorithm,
        of place: FilePlace
    ) async throws(StorageProblem) -> Checksum {
        guard let entry = try await seams.files.survey(place).final, entry.kind == .file else {
            throw StorageProblem(
                .permanent(.cannotOpen, "The file \(place.path) no longer exists."),
                errno: 0
            )
        }
        return try await seams.digest(algorithm, of: place, identity: entry.identity, length: entry.length)
    }
}
