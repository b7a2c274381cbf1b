import FerryCore
import Synchronization

/// Saves the body of a response in a file, which gets its name when it is whole, durable and recorded. Each attempt that
/// sends the request begins with an empty one.
final class ResponseSaver: Sendable {
    private let target: ResponseFile
    /// Where the file is until it has its final name. This name is the transfer's own: a file that has it was left by an attempt
    /// whose process died. So another program's `NAME.part` is not in the way after the request was sent.
    private let own: FilePlace
    private let files: any PartFileSystem
    private let boot: BootID
    /// How often a step that needs the transfer's own name is tried. More late processes than that are not expected.
    private static let tries = 3

    private struct State {
        /// The open file with the whole body.
        var file: (any PartFile)?
        /// Whether the store may have the claim on that file.
        var isClaimed = false
    }

    private let state = Mutex(State())
    /// Whether the store may have the claim on the file with the whole body.
    var isClaimed: Bool {
        get { state.withLock { $0.isClaimed } }
        set { state.withLock { $0.isClaimed = newValue } }
    }

    init(_ target: ResponseFile, of uuid: TransferUUID, files: any PartFileSystem, boot: BootID) {
        (self.target, self.files, self.boot) = (target, files, boot)
        own = target.draft(of: uuid)
    }

    /// Checks that the file can be made, by making it and removing it again, before the request is sent.
    ///
    /// - Throws: ``StorageProblem``: why the directory takes no file; `destinationExists` when there is one that must not be
    ///   replaced.
    func check() async throws(StorageProblem) {
        let final = try await files.survey(target.place).final
        guard final == nil || (target.replacesExisting && final?.kind == .file) else {
            throw StorageProblem(
                .permanent(
                    .destinationExists,
                    "\(target.place.path) already exists, so the request was not sent.",
                    remedies: [.moveAway, .retry]
                ),
                errno: 0
            )
        }
        await discard(try await createPart())
    }

    /// Receives a body into a file, if the answer is a success. A body that the file cannot take is kept in the answer, up
    /// to `limit` bytes.
    ///
    /// - Parameters:
    ///   - length: the length of the body, if the server has told it.
    ///   - judge: judges the answer when all of it has come.
    /// - Throws: ``Problem`` when its end does not come; what `judge` throws. No file is left then, and none of an answer
    ///   that is no success.
    func receive(
        _ body: any ResponseBody,
        in answer: inout RequestMachine.Answer,
        keeping limit: Int,
        length: Int64?,
        judge: (RequestMachine.Answer) throws -> RequestVerdict
    ) async throws {
        let sink = await newSink(keeping: limit)
        do {
            var whole = answer
            whole.response.savedLength = try await body.receive(into: sink, at: 0, limit: nil) { _ in }
            whole.response.isTruncated = false
            answer.verdict = try judge(whole)
            guard answer.verdict == .success else {
                let kept = sink.kept
                (answer.response.body, answer.response.isTruncated) = (kept.bytes, !kept.isWhole)
                return await discard(sink.file)
            }
            if let problem = sink.problem { throw problem }
            answer.saving = .file(try await keep(sink.file))
            answer.response = whole.response
        } catch let problem as StorageProblem {
            let kept = sink.kept
            answer.response.body = kept.bytes
            // Without a verdict, its end has not come.
            let isWhole = kept.isWhole && answer.verdict != nil
            (answer.saving, answer.response.isTruncated) = (isWhole ? .stored : .lost, !isWhole)
            // The next attempt begins with an empty file.
            answer.loss = problem.problem.needing(max(sink.extent, length ?? 0))
            await discard(sink.file)
        } catch {
            await discard(sink.file)
            throw error
        }
    }

    /// Writes the whole body into a file.
    func save(_ bytes: [UInt8]) async throws(StorageProblem) -> PartFileClaim {
        let file = try await createPart()
        do throws(StorageProblem) {
            try await file.write(all: bytes, at: 0)
            return try await keep(file)
        } catch {
            await discard(file)
            // The next attempt begins with an empty file.
            throw StorageProblem(error.problem.needing(Int64(bytes.count)), errno: error.errno)
        }
    }

    /// Gives the file with the body its name.
    ///
    /// - Returns: whether there was such a file, under its own name or already under the final one.
    /// - Throws: ``StorageProblem``; the file then stays as it is.
    func publish(_ claim: PartFileClaim, length: Int64) async throws(StorageProblem) -> Bool {
        guard let file = try await take(claim) else {
            guard let final = try await files.survey(target.place).final, final.kind == .file,
                final.length == length, final.identity.isSameFile(as: claim.identity)
            else { return false }
            // It has its name, which a crash may not have let become durable.
            try await files.synchronizeDirectory(of: target.place)
            return true
        }
        do throws(StorageProblem) {
            try await file.publish(as: target.name, replacing: target.replacesExisting)
            return true
        } catch {
            await file.close()
            guard error.problem.failure.code == .destinationExists else { throw error }
            throw StorageProblem(
                .permanent(
                    .destinationExists,
                    "\(target.place.path) already exists. The request has succeeded, and its response is in \(own.partPath).",
                    remedies: [.moveAway, .retry]
                ),
                errno: error.errno
            )
        }
    }

    /// Ends the attempt. Closes a whole file that did not get its final name, because an open one would block the next
    /// attempt. Removes it if the store cannot have the claim on it, as when the rest of the request was lost.
    func close() async {
        let (file, isClaimed) = state.withLock { ($0.file.take(), $0.isClaimed) }
        guard let file else { return }
        if isClaimed { await file.close() } else { await discard(file) }
    }

    // MARK: The file

    /// The open file with the body, or the same file opened again; `nil` when there is none under its own name.
    private func take(_ claim: PartFileClaim) async throws(StorageProblem) -> (any PartFile)? {
        if let open = state.withLock({ $0.file.take() }) { return open }
        guard let part = try await files.survey(own).part, part.identity.isSameFile(as: claim.identity) else {
            return nil
        }
        let opened = try await files.openPart(at: own, identity: part.identity)
        do throws(StorageProblem) {
            try await opened.synchronize()
            return opened
        } catch {
            await opened.close()
            throw error
        }
    }

    private func newSink(keeping limit: Int) async -> KeepingSink {
        do throws(StorageProblem) {
            return KeepingSink(before: try await createPart(), limit: limit)
        } catch {
            return KeepingSink(inPlaceOf: error, limit: limit)
        }
    }

    private func createPart() async throws(StorageProblem) -> any PartFile {
        try await clearOwnName()
        return try await underOwnName { () throws(StorageProblem) in try await files.createPart(at: own) }
    }

    /// Removes a file that an earlier attempt left.
    private func clearOwnName() async throws(StorageProblem) {
        let survey = try await files.survey(own)
        if let left = survey.part, !survey.isPartHeld {
            try await files.removePart(at: own, identity: left.identity)
        }
    }

    /// Performs a step that needs the transfer's own name, which was free a moment ago.
    ///
    /// A process that was taken for dead may still give its file that name. So a file that has it now is removed, too.
    private func underOwnName<Value: Sendable>(
        _ step: () async throws(StorageProblem) -> Value
    ) async throws(StorageProblem) -> Value {
        for _ in 1..<Self.tries {
            do throws(StorageProblem) {
                return try await step()
            } catch {
                guard error.problem.failure.code == .destinationExists else { throw error }
                try await clearOwnName()
            }
        }
        return try await step()
    }

    /// Makes a whole file durable under its own name, so that it is found again after a crash.
    private func keep(_ written: (any PartFile)?) async throws(StorageProblem) -> PartFileClaim {
        guard let written else { preconditionFailure("a response without a file is kept in memory") }
        try await underOwnName { () throws(StorageProblem) in try await written.takeName() }
        try await written.synchronize()
        state.withLock { $0.file = written }
        return PartFileClaim(name: own.part, identity: written.identity, boot: boot)
    }

    /// Removes an unfinished file. One that stays must not hide the answer, or why there is none: the next attempt takes its
    /// place.
    private func discard(_ file: (any PartFile)?) async {
        guard let file else { return }
        await file.close()
        guard file.isNamed else { return }
        do throws(StorageProblem) {
            try await files.removePart(at: own, identity: file.identity)
        } catch {}
    }
}
