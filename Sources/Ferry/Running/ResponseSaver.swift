import FerryCore

/// Saves the body of a response in a file, which gets its name when it is whole and durable. Each attempt begins with an
/// empty one.
struct ResponseSaver: Sendable {
    let target: ResponseFile
    let files: any PartFileSystem

    /// Checks that the file can be made, before the request is sent.
    ///
    /// - Throws: ``Problem``: `destinationExists` when there is one that must not be replaced.
    func check() async throws(Problem) {
        let place = target.place
        let final: FileSurvey.Entry?
        do throws(StorageProblem) {
            final = try await files.survey(place).final
        } catch {
            throw error.problem
        }
        guard let final, !target.replacesExisting || final.kind != .file else { return }
        throw .permanent(
            .destinationExists,
            "\(place.path) already exists, so the request was not sent.",
            remedies: [.moveAway, .retry]
        )
    }

    /// Saves a body.
    ///
    /// - Returns: its length in bytes.
    /// - Throws: ``Problem`` when its end does not come; ``StorageProblem`` when it cannot be saved. No file is left then.
    func save(_ body: any ResponseBody) async throws -> Int64 {
        let place = target.place
        let file = try await files.createPart(at: place)
        do {
            let length = try await body.receive(into: file, at: 0, limit: nil) { _ in }
            try await file.synchronize()
            // Only a file with a name can replace another one.
            if target.replacesExisting, !file.isNamed { try await file.takeName() }
            try await file.publish(as: target.name, replacing: target.replacesExisting)
            await file.close()
            return length
        } catch {
            await file.close()
            if file.isNamed { try await files.removePart(at: place, identity: file.identity) }
            throw error
        }
    }
}
