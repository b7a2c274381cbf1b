import FerryCore

extension PartFileSystem {
    /// Reads the file with the place's final name, and computes its digest.
    ///
    /// - Throws: ``StorageProblem`` when there is no such file, or it cannot be read.
    func digest(
        _ algorithm: Checksum.Algorithm,
        of place: FilePlace
    ) async throws(StorageProblem) -> Checksum {
        guard let entry = try await survey(place).final, entry.kind == .file else {
            throw StorageProblem(.permanent(.cannotOpen, "There is no regular file \(place.path)."), errno: 0)
        }
        return try await digest(algorithm, of: place, identity: entry.identity, length: entry.length)
    }

    /// The digest of the first `length` bytes of the file with the place's final name.
    ///
    /// - Throws: ``StorageProblem`` when another file has that name now, or the file cannot be read.
    func digest(
        _ algorithm: Checksum.Algorithm,
        of place: FilePlace,
        identity: FileIdentity,
        length: Int64
    ) async throws(StorageProblem) -> Checksum {
        let file = try await openFinished(at: place, identity: identity)
        return try await file.closing { () throws(StorageProblem) in
            try await file.digest(algorithm, length: length)
        }
    }
}

/// Checks files that have their final name against digests.
extension ClientSeams {
    /// How the file with the place's final name differs from what `options` ask for; `nil` if it does not.
    ///
    /// - Throws: ``StorageProblem`` when another file has that name now, or the file cannot be read.
    func flaw(
        of place: FilePlace,
        _ entry: FileSurvey.Entry,
        asked options: DownloadOptions
    ) async throws(StorageProblem) -> FileFlaw? {
        if let flaw = FileFlaw(length: entry.length, asked: options) { return flaw }
        if let expected = options.checksum {
            let found = try await files.digest(
                expected.algorithm,
                of: place,
                identity: entry.identity,
                length: entry.length
            )
            return found == expected ? nil : .digest(found, expected: expected)
        }
        guard let pieces = options.pieces else { return nil }
        let file = try await files.openFinished(at: place, identity: entry.identity)
        let wrong = try await file.closing { () throws(StorageProblem) in
            try await file.wrongPieces(of: pieces, length: entry.length)
        }
        return wrong.isEmpty ? nil : .pieces(wrong: wrong.count, of: pieces.checksums.count)
    }
}

extension PartFile {
    /// Runs `body`, and then closes this file, also after an error.
    func closing<Value: Sendable>(
        _ body: () async throws(StorageProblem) -> Value
    ) async throws(StorageProblem) -> Value {
        do throws(StorageProblem) {
            let value = try await body()
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }

    /// The pieces whose digests do not match.
    func wrongPieces(of pieces: PieceDigests, length: Int64) async throws(StorageProblem) -> [Int] {
        var wrong: [Int] = []
        for (piece, expected) in pieces.checksums.enumerated() {
            let range = pieces.range(of: piece, inFileOf: length)
            if try await digest(pieces.algorithm, of: range) != expected { wrong.append(piece) }
        }
        return wrong
    }
}
