package import FerryCore

extension PartFileSystem {
    /// Creates a part file and names it at once, for tests about other behaviour.
    package func createNamedPart(at place: FilePlace) async throws(StorageProblem) -> any PartFile {
        let file = try await createPart(at: place)
        do throws(StorageProblem) {
            try await file.takeName()
            return file
        } catch {
            await file.close()
            throw error
        }
    }
}
