package import FerryCore

extension PartFileSystem {
    /// Looks at a place, then creates the part file. The file systems of tests give no file a name at once.
    package func surveyToCreate(
        _ place: FilePlace,
        holding bytes: [UInt8]?
    ) async throws(StorageProblem) -> (survey: FileSurvey, part: Result<any PartFile, StorageProblem>?) {
        let survey = try await survey(place)
        guard survey.isVacant else { return (survey, nil) }
        do throws(StorageProblem) {
            return (survey, .success(try await createPart(at: place, holding: bytes)))
        } catch {
            return (survey, .failure(error))
        }
    }
}
