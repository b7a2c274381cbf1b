internal import FerryCore
internal import Testing

extension PartFileSystemSuite {
    func surveysAnEmptyDirectory() async throws {
        #expect(try await fileSystem.survey(place()).isVacant)
    }

    func tellsTheDeviceOfTheDirectory() async throws {
        let file = try stage.put(.file, [1], as: place().name)
        #expect(try await fileSystem.survey(place()).device == file.device)
    }

    func surveysEachKindWithoutFollowingLinks() async throws {
        for kind in [FileSurvey.Kind.file, .directory, .symbolicLink, .stream] {
            let place = try place("kind-\(kind)")
            let bytes: [UInt8] = kind == .file ? [1, 2, 3] : []
            let final = try stage.put(kind, bytes, as: place.name)
            let part = try stage.put(.file, [1], as: place.part)
            let survey = try await fileSystem.survey(place)
            #expect(survey.final?.identity == final && survey.final?.kind == kind)
            #expect(survey.final?.length == Int64(bytes.count))
            #expect(survey.part?.identity == part && survey.part?.kind == .file && survey.part?.length == 1)
        }
    }

    func tellsThatAPartFileIsBeingWritten() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        #expect(try await fileSystem.survey(place).isPartHeld)
        // The transfer that opens it waits for it, whatever its length.
        for bytes in [[], [1]] as [[UInt8]] {
            if !bytes.isEmpty { try file.write(bytes, at: 0) }
            let problem = await expect(.cannotOpen) { _ = try await fileSystem.createNamedPart(at: place) }
            #expect(problem?.problem.disposition == .transient(retryAfter: nil))
        }
        await file.close()
        #expect(try await !fileSystem.survey(place).isPartHeld)
        await expect(.destinationExists) { _ = try await fileSystem.createNamedPart(at: place) }
        #expect(try stage.contents(of: place.part) == [1])
    }

    func adoptsTheFileWithTheFinalName() async throws {
        let place = try place()
        let identity = try stage.put(.file, [1, 2], as: place.name)
        var other = identity
        other.inode += 1
        await #expect(throws: StorageProblem.self) { try await fileSystem.adopt(at: place, identity: other) }
        let foreign = try stage.put(.file, [3], as: place.part)
        await expect(.destinationExists) { try await fileSystem.adopt(at: place, identity: identity) }
        #expect(try stage.contents(of: place.part) == [3] && stage.contents(of: place.name) == [1, 2])
        try await fileSystem.removePart(at: place, identity: foreign)
        try await fileSystem.adopt(at: place, identity: identity)
        let survey = try await fileSystem.survey(place)
        #expect(survey.final == nil && survey.part?.identity == identity)
        #expect(try stage.contents(of: place.part) == [1, 2])
        // As after a crash: all is done, whatever has the final name since.
        try await fileSystem.adopt(at: place, identity: identity)
        _ = try stage.put(.file, [4], as: place.name)
        try await fileSystem.adopt(at: place, identity: identity)
        #expect(try stage.contents(of: place.part) == [1, 2] && stage.contents(of: place.name) == [4])
    }

    func givesAnAdoptedFileBack() async throws {
        let place = try place()
        let identity = try stage.put(.file, [1, 2], as: place.name)
        let adoption = PendingAdoption(name: place.name, length: 2)
        // Before the file is adopted there is nothing to give back.
        try await fileSystem.giveBack(at: place, identity: identity, adoption)
        #expect(try stage.contents(of: place.name) == [1, 2])
        try await fileSystem.adopt(at: place, identity: identity)
        let part = try await fileSystem.openPart(at: place, identity: identity)
        try part.write([3, 4], at: 2)
        await part.close()
        var other = identity
        other.inode += 1
        try await fileSystem.giveBack(at: place, identity: other, adoption)
        #expect(try stage.contents(of: place.part) == [1, 2, 3, 4])
        // Twice, as after a crash.
        for _ in 0..<2 { try await fileSystem.giveBack(at: place, identity: identity, adoption) }
        #expect(try stage.names() == ["file.bin"] && stage.contents(of: place.name) == [1, 2])
        // Another file has the name now, so the part file keeps its own.
        try await fileSystem.adopt(at: place, identity: identity)
        _ = try stage.put(.file, [9], as: place.name)
        try await fileSystem.giveBack(at: place, identity: identity, adoption)
        #expect(try stage.contents(of: place.name) == [9] && stage.contents(of: place.part) == [1, 2])
        // A directory that is gone has nothing to give back.
        let missing = FilePlace(directory: stage.directory + "/not-there", name: place.name)
        try await fileSystem.giveBack(at: missing, identity: identity, adoption)
    }

    func namesTheMissingDirectory() async throws {
        let missing = stage.directory + "/not-there"
        let place = FilePlace(directory: missing, name: try FileName(userGiven: "file.bin"))
        let problems = [
            await expect(.cannotCreate) { _ = try await fileSystem.survey(place) },
            await expect(.cannotCreate) { _ = try await fileSystem.createNamedPart(at: place) },
            await expect(.cannotCreate) { _ = try await fileSystem.freeSpace(in: missing) },
            await expect(.cannotCreate) { try await fileSystem.synchronizeDirectory(of: place) },
        ]
        for problem in problems {
            #expect(problem?.problem.disposition == .permanent)
            #expect(problem?.problem.failure.message == "The directory \(missing) does not exist.")
            #expect(problem?.problem.failure.remedies == [.createDirectory(path: missing), .retry])
        }
    }

    func measuresFreeSpace() async throws {
        #expect(try await fileSystem.freeSpace(in: stage.directory) > 0)
        try await fileSystem.synchronizeDirectory(of: place())
    }

    func tellsNamesApartByTheirBytes() async throws {
        // They look equal and are equal for `String`, but not for a file system: é as one scalar, and as e with an
        // accent.
        let composed = try place("\u{E9}")
        let decomposed = try place("e\u{301}")
        let file = try await fileSystem.createNamedPart(at: composed)
        try file.write([1], at: 0)
        await file.close()
        #expect(try await fileSystem.survey(decomposed).part == nil)
        let other = try await fileSystem.createNamedPart(at: decomposed)
        #expect(other.identity != file.identity)
        await other.close()
        #expect(try stage.names().count == 2)
    }

    func createsAPartFileWithASurvey() async throws {
        let place = try place()
        let found = try await fileSystem.surveyToCreate(place, holding: nil)
        #expect(try found.survey.isVacant && stage.names().isEmpty)
        // A file system that gives every file a name at once creates none.
        guard let file = try found.part?.get() else { return }
        #expect(!file.isNamed)
        try file.write([1, 2], at: 0)
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: false)
        #expect(try stage.contents(of: place.name) == [1, 2])
        let again = try await fileSystem.surveyToCreate(place, holding: nil)
        #expect(again.survey.final?.identity == file.identity && again.part == nil)
        // One that is not needed leaves nothing.
        let other = try self.place("other.bin")
        try await fileSystem.surveyToCreate(other, holding: nil).part?.get().close()
        #expect(try await fileSystem.survey(other).isVacant)
        try stage.put(.file, [], as: other.part)
        #expect(try await fileSystem.surveyToCreate(other, holding: nil).part == nil)
    }

    func createsAWholeFileWithASurvey() async throws {
        let place = try place()
        let found = try await fileSystem.surveyToCreate(place, holding: [1, 2])
        guard let file = try found.part?.get() else { return }
        #expect(try stage.names() == [])
        #expect(try await file.read(0..<9) == [1, 2])
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: false)
        #expect(try stage.contents(of: place.name) == [1, 2])
    }

    func createsAPartFileAndFindsItAgain() async throws {
        let place = try place()
        let created = try await fileSystem.createNamedPart(at: place)
        try created.write([1, 2, 3], at: 0)
        await created.close()
        let survey = try await fileSystem.survey(place)
        #expect(survey.part?.identity == created.identity && survey.part?.length == 3)
        #expect(survey.final == nil)

        let opened = try await fileSystem.openPart(at: place, identity: created.identity)
        #expect(opened.identity == created.identity)
        try opened.write([4], at: 3)
        #expect(try await opened.read(0..<4) == [1, 2, 3, 4])
        await opened.close()
    }

    func hasNoNameBeforeItTakesIt() async throws {
        let place = try place()
        let dropped = try await fileSystem.createPart(at: place)
        try dropped.write([1], at: 0)
        #expect(try stage.names() == [])
        await dropped.close()
        #expect(try stage.names() == [])
        let file = try await fileSystem.createPart(at: place)
        try file.write([2], at: 0)
        try await file.takeName()
        #expect(try await fileSystem.survey(place).part?.identity == file.identity)
        await file.close()
        #expect(try stage.contents(of: place.part) == [2])
    }

    func leavesAnEmptyFileOfAnotherProgram() async throws {
        let place = try place()
        let identity = try stage.put(.file, [], as: place.part)
        await expect(.destinationExists) { _ = try await fileSystem.createPart(at: place) }
        let part = try await fileSystem.survey(place).part
        #expect(part?.identity == identity && part?.length == 0)
    }

    func refusesANameThatWasTakenMeanwhile() async throws {
        for kind in [FileSurvey.Kind.file, .directory, .symbolicLink, .stream] {
            let place = try place("taken-\(kind)")
            let file = try await fileSystem.createPart(at: place)
            let identity = try stage.put(kind, [], as: place.part)
            await expect(.destinationExists) { try await file.takeName() }
            await file.close()
            #expect(try await fileSystem.survey(place).part?.identity == identity)
        }
    }

    func refusesAForeignPartFile() async throws {
        for kind in [FileSurvey.Kind.file, .directory, .symbolicLink, .stream] {
            let place = try place("foreign-\(kind)")
            let identity = try stage.put(kind, kind == .file ? [7] : [], as: place.part)
            let before = try stage.linked()
            let problem = await expect(.destinationExists) {
                _ = try await fileSystem.createNamedPart(at: place)
            }
            #expect(problem?.problem.disposition == .permanent)
            #expect(problem?.problem.failure.message.contains(place.partPath) == true)
            #expect(problem?.problem.failure.remedies.isEmpty == false)
            #expect(try await fileSystem.survey(place).part?.identity == identity)
            if kind == .file { #expect(try stage.contents(of: place.part) == [7]) }
            #expect(try stage.linked() == before)
        }
    }

    func letsOneOfManyCreatorsWin() async throws {
        let place = try place()
        let fileSystem = fileSystem
        let winners = try await withThrowingTaskGroup(of: (any PartFile)?.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do {
                        return try await fileSystem.createNamedPart(at: place)
                    } catch let problem as StorageProblem {
                        #expect(problem.problem.disposition == .transient(retryAfter: nil), "\(problem)")
                        return nil
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
        }
        #expect(winners.count == 1)
        #expect(try await fileSystem.survey(place).part?.identity == winners.first?.identity)
        for winner in winners { await winner.close() }
    }

    func locksAnOpenPartFile() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        let opening = await expect(.cannotOpen) {
            _ = try await fileSystem.openPart(at: place, identity: file.identity)
        }
        let creating = await expect(.cannotOpen) { _ = try await fileSystem.createNamedPart(at: place) }
        for problem in [opening, creating] {
            #expect(problem?.problem.disposition == .transient(retryAfter: nil))
            let message = "Another transfer or program is writing \(place.partPath)."
            #expect(problem?.problem.failure.message == message)
        }
        await file.close()
        let again = try await fileSystem.openPart(at: place, identity: file.identity)
        await again.close()
        await again.close()
    }

    func refusesAReplacedPartFile() async throws {
        for kind in [FileSurvey.Kind.file, .directory, .symbolicLink, .stream] {
            let place = try place("replaced-\(kind)")
            let file = try await fileSystem.createNamedPart(at: place)
            // Held open, so that its number is not reused for the replacement.
            try stage.remove(place.part)
            try stage.put(kind, [], as: place.part)
            let problem = await expect(.partFileLost) {
                _ = try await fileSystem.openPart(at: place, identity: file.identity)
            }
            #expect(problem?.problem.disposition == .permanent)
            await file.close()
        }
    }

    func reportsAnAbsentPartFile() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        await file.close()
        try stage.remove(place.part)
        let problem = await expect(.partFileLost) {
            _ = try await fileSystem.openPart(at: place, identity: file.identity)
        }
        #expect(problem?.problem.disposition == .transient(retryAfter: nil))
        #expect(try stage.names() == [])
    }
}
