/// From the last byte to the final name, and every early end.
extension DownloadMachine {
    /// Verifies the file once every byte is received.
    mutating func verify() -> [Action] {
        if let ending { return stop(ending) }
        guard let length = checkpoint.segments.length, checkpoint.segments.isComplete else {
            return fail(.transient(.internalFault, "I1: a download was to be verified before it was whole."))
        }
        // A file without a name was made by this attempt, so nothing lies behind its end.
        guard !isStream, partName != .owed else { return digest(length) }
        stage = .preparing(.trimming)
        return [.trim(length)]
    }

    mutating func trimmed() -> [Action] {
        guard stage == .preparing(.trimming), let length = checkpoint.segments.length else { return [] }
        isSynchronizationStale = isSynchronizing
        if let ending { return stop(ending) }
        return digest(length)
    }

    /// The digest that the file must have.
    var expected: Checksum? { specification.expectedDigest(knowing: checkpoint) }

    private mutating func digest(_ length: Int64) -> [Action] {
        if let asked = options.length, asked != length {
            return failed(verification: mismatch("The file has \(length) bytes, not \(asked)."))
        }
        guard let expected else { return options.pieces == nil ? verified() : digestPieces(length) }
        stage = .digesting
        return [.digest(expected.algorithm, length: length)]
    }

    /// Compares the digest. A file with a wrong digest is repaired or dropped.
    mutating func digested(_ found: Checksum) -> [Action] {
        guard stage == .digesting else { return [] }
        if let ending { return stop(ending) }
        guard let expected, expected != found else { return verified() }
        guard !isSynchronizing else {
            doubt = .digest(found)
            return []
        }
        return repair(after: found) ?? failed(verification: mismatch(expected: expected, found: found))
    }

    /// Continues once the bytes are verified.
    mutating func verified() -> [Action] {
        isStream ? finish(.completed) : synchronizeAll()
    }

    /// The bytes are wrong, and no source is left that might have others.
    mutating func failed(verification problem: Problem) -> [Action] {
        forgetBytes()
        // The next attempt may ask every source again.
        checkpoint.mirroring = Mirroring()
        // The row gives up its claim, so that this transfer never touches the file again.
        if options.keepsMismatch { checkpoint.part = nil }
        return (isStream ? [] : [record(.process)]) + fail(problem)
    }

    func mismatch(expected: Checksum, found: Checksum) -> Problem {
        let name = expected.algorithm.rawValue
        let isGiven = options.checksum != nil
        let message =
            isGiven
            ? "The file has the \(name) digest \(found.hex), not \(expected.hex)."
            : "The file has the \(name) digest \(found.hex), but the server says \(expected.hex)."
        let believing =
            isGiven
            ? " To fetch it without that digest, type `ferry remove {id}` first."
            : " --ignore-server-digests accepts the file."
        return mismatch(message, believing: believing)
    }

    func mismatch(_ message: String, believing: String = "") -> Problem {
        let hint =
            if isStream {
                "The reader of the stream has these bytes. Repeat the `ferry get` line to fetch them again."
            } else if options.keepsMismatch, let place {
                "It was kept as \(place.partPath). Move it away, and `ferry retry {id}` fetches it again."
            } else {
                "The file was not saved under its final name. `ferry retry {id}` fetches it again over the part file; "
                    + "`ferry remove {id}` removes the part file."
            }
        return .permanent(.checksumMismatch, message, hint: hint + believing)
    }

    mutating func synchronizeAll() -> [Action] {
        stage = .synchronizing
        // A running sync covers only what was written when it began. Its answer orders the next one.
        guard !isSynchronizing else { return [] }
        return [synchronize()]
    }

    mutating func synchronize() -> Action {
        isSynchronizing = true
        isSynchronizationStale = false
        return .synchronize(checkpoint.segments)
    }

    mutating func synchronized(_ snapshot: SegmentMap, at now: Instant) -> [Action] {
        precondition(isSynchronizing, "I2: a sync is confirmed that was not ordered")
        isSynchronizing = false
        lastSynchronized = now
        // A sync that began before bytes were dropped confirms nothing of their replacements (I2). A sync that began
        // before the file was cut leaves bytes behind the end that a power cut would bring back (I1).
        if !isSynchronizationStale { checkpoint.segments.confirm(durable: snapshot) }
        switch stage {
        case .synchronizing:
            if let ending { return stop(ending) }
            guard checkpoint.segments.isDurable else { return synchronizeAll() }
            return publish()
        case .digesting:
            let recorded = record(.process)
            return [recorded] + judgeAgain()
        case .stopping where connections.isEmpty:
            return stopped()
        default:
            return [record(.process)]
        }
    }

    mutating func publish() -> [Action] {
        guard let place else { preconditionFailure("I1: a file is to be published that has no name") }
        stage = .publishing
        checkpoint.phase = .publishing
        // After power loss, only this note tells a published file from an unfinished one that a person renamed.
        return [record(.power), .publish(place.name, replacing: options.existingFile == .overwrite)]
    }

    mutating func published(modified: Int64?) -> [Action] {
        checkpoint.part?.modified = modified
        return finish(.completed)
    }

    // MARK: Early ends

    mutating func ask(_ wanted: AttemptEnding) -> [Action] {
        let ending = Ending.asked(wanted)
        switch stage {
        case .publishing, .ended:
            // A rename is not interrupted, and after it there is nothing left to stop.
            return []
        case .surveying, .inspecting, .preparing, .digesting, .synchronizing:
            // An operation on the file is under way; its answer ends the attempt.
            insist(on: ending)
            return []
        case .idle, .transferring:
            return stop(ending)
        case .stopping:
            insist(on: ending)
            return []
        }
    }

    /// Notes how the attempt must end: the first request counts, except that a cancellation always replaces it.
    private mutating func insist(on ending: Ending) {
        if case .asked(.cancel) = ending { self.ending = ending }
        self.ending = self.ending ?? ending
    }

    /// The last connection has ended: saves what is worth keeping and finishes.
    mutating func stopped() -> [Action] {
        stage = .stopping
        guard let ending, !isSynchronizing, partName != .asked else { return [] }
        if owesNameNow(before: ending) { return takeName() }
        switch ending {
        case .asked(.cancel(keepingPart: false)):
            let claim = recordable.part
            forgetBytes()
            guard let place, let claim else { return finish(.cancelled) }
            return [.removePart(place, claim.identity)]
        case .asked(.release):
            let segments = recordable.segments
            guard isPartOpen, segments.durableBytes < segments.received else {
                return finish(ending.outcome)
            }
            return [synchronize()]
        case .asked(.cancel(keepingPart: true)):
            return finish(.cancelled)
        case .alreadyThere:
            // The existing file is not this transfer's, which knows nothing of it.
            let claim = recordable.part
            forgetBytes()
            guard let place, let claim else { return finish(.completed) }
            // If the process dies after the removal, no row claims the bytes that are gone (I2).
            return [record(.power), .removePart(place, claim.identity)]
        case .problem:
            return finish(ending.outcome)
        }
    }

    mutating func partRemoved() -> [Action] {
        if stage == .publishing, let place { return [.synchronizeDirectory(place)] }
        forgetBytes()
        checkpoint.cancel(leaving: .removed)
        return finish(ending?.outcome ?? .cancelled)
    }

    mutating func storageFailed(_ operation: StorageOperation, _ problem: Problem) -> [Action] {
        switch operation {
        case .synchronize:
            // The kernel may have dropped the pages and marked them clean. What was not durable is fetched again, and
            // no later success counts for it.
            isSynchronizing = false
            checkpoint.segments.rewindToDurable()
            checkpoint.phase = .receiving
            // What the connections still write lies behind a gap of lost bytes.
            disregardConnections()
            let recorded = record(.process)
            if stage == .stopping, connections.isEmpty { return [recorded] + stopped() }
            return [recorded] + fail(problem)
        case .publish where problem.failure.code == .destinationMoved:
            // The file is whole and published, in a directory that has another path by now. This transfer leaves it
            // alone from now on.
            forgetBytes()
            checkpoint.part = nil
            return [record(.process)] + fail(problem)
        case .publish:
            // The rename may have succeeded and only its sync failed. The note of it stays, so that the next attempt
            // recognises its file under the final name.
            guard problem.failure.code == .destinationExists else { return fail(problem) }
            checkpoint.phase = .receiving
            if options.existingFile == .autoRename { return publishUnderNextName() }
            if options.existingFile == .noClobber { return [record(.process)] + survey() }
            return [record(.process)] + fail(problem)
        case .prepare where takesNextName(after: problem), .name where takesNextName(after: problem):
            checkpoint.part = nil
            isPartOpen = false
            return place.map { surveyNextName(after: $0) } ?? fail(problem)
        case .name where beginsUnderNextName(after: problem):
            // Its few bytes are fetched again: the file has no name and disappears when it is closed.
            forgetBytes()
            checkpoint.part = nil
            isPartOpen = false
            partName = .given
            let cuts = connections.keys.sorted().flatMap { dismiss($0) }
            return place.map { cuts + surveyNextName(after: $0) } ?? fail(problem)
        case .prepare where problem.failure.code == .partFileLost:
            // If another file has the name, the next attempt looks at who writes it. This transfer's own file may be
            // put back.
            if problem.disposition != .permanent || options.existingFile == .autoRename {
                forgetBytes()
                checkpoint.part = nil
            }
            return fail(Problem(problem.failure, .transient(retryAfter: nil)))
        case .name:
            return nameRefused(problem)
        case .remove:
            return stage == .publishing ? fail(problem) : finish(ending?.outcome ?? .cancelled)
        case .digest:
            if case .inspecting(let file) = stage { return notInspected(file, problem) }
            return fail(problem)
        case .survey, .prepare:
            return fail(problem)
        }
    }

    /// Handles a part file that got no name: what was written to it is lost.
    private mutating func nameRefused(_ problem: Problem) -> [Action] {
        // The file disappears when it is closed, unless it got its name although the call failed: a network file
        // system can lose the answer. The next attempt finds it then.
        forgetBytes()
        disregardConnections()
        let isTaken = saysThatNameIsTaken(problem)
        if isTaken { checkpoint.part = nil }
        // The next attempt looks for a free name before it begins.
        let mayRename = isTaken && partName == .asked && options.existingFile == .autoRename
        partName = .given
        let recorded = record(.process)
        if stage == .stopping, connections.isEmpty { return [recorded] + stopped() }
        return [recorded]
            + fail(mayRename ? Problem(problem.failure, .transient(retryAfter: nil)) : problem)
    }

    /// Makes the machine ignore what the connections still write.
    private mutating func disregardConnections() {
        for id in connections.keys { connections[id]?.work = .nothing }
    }

    /// Whether another number is tried because the part file's name is taken.
    private func takesNextName(after problem: Problem) -> Bool {
        guard case .preparing(.receiving) = stage, ending == nil else { return false }
        return options.existingFile == .autoRename && saysThatNameIsTaken(problem)
    }

    /// Whether the next number is tried because another file took the name before the part file was named.
    private func beginsUnderNextName(after problem: Problem) -> Bool {
        guard stage == .transferring, partName == .asked, ending == nil else { return false }
        return options.existingFile == .autoRename && saysThatNameIsTaken(problem)
    }

    /// Whether the part file's name is taken: by a file, or by one that another transfer is writing.
    private func saysThatNameIsTaken(_ problem: Problem) -> Bool {
        problem.failure.code == .destinationExists || problem.failure.code == .cannotOpen
    }

    /// Publishes under the next number: the name was taken while the bytes arrived.
    private mutating func publishUnderNextName() -> [Action] {
        renameNumber += 1
        guard let name = checkpoint.name, renameNumber <= Self.renameLimit else {
            return fail(.permanent(.destinationExists, "All numbered names are taken."))
        }
        let base = unnumberedName ?? name
        unnumberedName = base
        checkpoint.name = base.numbered(renameNumber)
        return publish()
    }
}
