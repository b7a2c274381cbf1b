import FerryCore

/// The digests of files that have their final name.
extension EngineSeams {
    /// The digest of the first `length` bytes of the file that has the place's final name.
    ///
    /// - Throws: ``StorageProblem`` when another file has it by now, or it cannot be read.
    func digest(
        _ algorithm: Checksum.Algorithm,
        of place: FilePlace,
        identity: FileIdentity,
        length: Int64
    ) async throws(StorageProblem) -> Checksum {
        let published = FilePlace(directory: place.directory, name: place.name, part: place.name)
        let file = try await files.openPart(at: published, identity: identity)
        do throws(StorageProblem) {
            let digest = try await file.digest(algorithm, length: length)
            await file.close()
            return digest
        } catch {
            await file.close()
            throw error
        }
    }
}
