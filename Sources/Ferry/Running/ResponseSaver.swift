import FerryCore

/// Saves the body of a response in a file, which gets its name when it is whole and durable. Each attempt begins with an
/// empty one.
struct ResponseSaver: Sendable {
    let target: ResponseFile
    let files: any PartFileSystem

    /// Checks that the file can be made, before the request is sent.
    ///
    /// - Parameter wasSent: whether an earlier attempt may have been sent, and the process ended after it had saved the
    ///   response and before it recorded that.
    /// - Throws: ``Problem``: `destinationExists` when there is one that must not be replaced.
    func check(wasSent: Bool) async throws(Problem) {
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
            wasSent
                ? "\(place.path) already exists, so the request is not sent again. An earlier attempt was sent, and the file may be its response."
                : "\(place.path) already exists, so the request was not sent.",
            remedies: [.moveAway, .retry]
        )
    }

    /// Saves a body, if the answer is a success.
    ///
    /// - Parameter judge: judges the answer when all of it has come, before the file gets its name.
    /// - Throws: ``Problem`` when its end does not come; ``StorageProblem`` when it cannot be saved; what `judge` throws. No
    ///   file is left then, and none of an answer that is no success.
    func save(
        _ body: any ResponseBody,
        in answer: inout RequestMachine.Answer,
        judge: (RequestMachine.Answer) throws -> RequestVerdict
    ) async throws {
        let place = target.place
        let file = try await files.createPart(at: place)
        do {
            let length = try await body.receive(into: file, at: 0, limit: nil) { _ in }
            var whole = answer
            (whole.response.savedLength, whole.response.isTruncated) = (length, false)
            let verdict = try judge(whole)
            answer.verdict = verdict
            if verdict == .success {
                try await file.synchronize()
                // Only a file with a name can replace another one.
                if target.replacesExisting, !file.isNamed { try await file.takeName() }
                try await file.publish(as: target.name, replacing: target.replacesExisting)
                await file.close()
                answer.response = whole.response
                return
            }
        } catch {
            await file.close()
            if file.isNamed { try await files.removePart(at: place, identity: file.identity) }
            throw error
        }
        await file.close()
        if file.isNamed { try await files.removePart(at: place, identity: file.identity) }
    }
}
