internal import FerryCore
internal import Testing

extension PartFileSystemSuite {
    /// A part file with durable bytes.
    private func synchronizedPart(_ bytes: [UInt8], at place: FilePlace) async throws -> any PartFile {
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write(bytes, at: 0)
        try await file.synchronize()
        return file
    }

    func publishes() async throws {
        let place = try place()
        let file = try await synchronizedPart([1, 2, 3], at: place)
        let modified = try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try stage.names() == ["file.bin"])
        #expect(try stage.contents(of: place.name) == [1, 2, 3])
        let final = try await fileSystem.survey(place).final
        #expect(final?.identity == file.identity)
        #expect(modified != nil && final?.modified == modified, "a change after this can be seen")
    }

    func publishesWithAGivenTime() async throws {
        // One of 1994, and one of 2036.
        for (number, seconds) in [Int64(784_903_526), 2_082_758_400].enumerated() {
            let date = Instant(seconds: seconds)
            for isNamed in [false, true] {
                let place = try place("file-\(number)-\(isNamed)")
                let file = try await fileSystem.createPart(at: place)
                if isNamed { try await file.takeName() }
                try file.write([1, 2, 3], at: 0)
                try await file.synchronize()
                // It stays what it was if the name is taken, and can be published under another one.
                try stage.put(.file, [8], as: place.name)
                await expect(.destinationExists) {
                    try await file.publish(as: place.name, replacing: false, dated: date)
                }
                let other = FilePlace(directory: place.directory, name: place.name.numbered(1))
                let modified = try await file.publish(as: other.name, replacing: false, dated: date)
                await file.close()
                #expect(modified == seconds * 1_000_000_000)
                let final = try await fileSystem.survey(other).final
                #expect(final?.modified == modified && final?.identity == file.identity)
                #expect(try stage.contents(of: other.name) == [1, 2, 3])
            }
        }
    }

    func readsAFinishedFileThatIsLocked() async throws {
        let place = try place()
        let file = try await synchronizedPart([1, 2, 3], at: place)
        // A part file is locked. Here its name is a final name as well.
        let locked = FilePlace(directory: stage.directory, name: place.part)
        let reader = try await fileSystem.openFinished(at: locked, identity: file.identity)
        #expect(try await reader.read(0..<9) == [1, 2, 3])
        await reader.close()
        await file.close()
        let other = try stage.put(.file, [4], as: FileName(userGiven: "other"))
        await expect(.cannotOpen) { _ = try await fileSystem.openFinished(at: locked, identity: other) }
    }

    func publishesAFileWithoutAName() async throws {
        let place = try place()
        let file = try await fileSystem.createPart(at: place)
        try file.write([1, 2], at: 0)
        try await file.synchronize()
        guard !file.isNamed else { return await file.close() }
        #expect(try stage.names() == [])
        // A file that appears meanwhile stays, even if replacing is allowed.
        try stage.put(.file, [8], as: place.name)
        for replacing in [false, true] {
            await expect(.destinationExists) { try await file.publish(as: place.name, replacing: replacing) }
        }
        #expect(try stage.contents(of: place.name) == [8])
        let other = place.name.numbered(1)
        try await file.publish(as: other, replacing: false)
        #expect(try stage.contents(of: other) == [1, 2])
        #expect(try stage.names().count == 2)
    }

    func publishesAnEmptyFile() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try stage.contents(of: place.name) == [])
        #expect(try stage.names() == ["file.bin"])
    }

    func publishesTheLongestName() async throws {
        for name in [String(repeating: "n", count: 255), String(repeating: "\u{1F6A2}", count: 63) + "abc"] {
            let place = try place(name)
            #expect(name.utf8.count == 255)
            let file = try await synchronizedPart([1], at: place)
            #expect(try await fileSystem.survey(place).part?.identity == file.identity)
            try await file.publish(as: place.name, replacing: false)
            await file.close()
            #expect(try stage.contents(of: place.name) == [1])
        }
        #expect(try stage.names().count == 2)
    }

    func refusesToPublishUnsyncedBytes() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        await expect(.internalFault) { try await file.publish(as: place.name, replacing: false) }
        try await file.synchronize()
        try file.write([2], at: 0)
        await expect(.internalFault) { try await file.publish(as: place.name, replacing: false) }
        try await file.synchronize()
        try await file.cut(behind: 0)
        await expect(.internalFault) { try await file.publish(as: place.name, replacing: true) }
        await file.close()
        // The writes of a process that died are not known to be durable either.
        let again = try await fileSystem.openPart(at: place, identity: file.identity)
        await expect(.internalFault) { try await again.publish(as: place.name, replacing: false) }
        #expect(try stage.contents(of: place.name) == nil)
        try await again.synchronize()
        try await again.publish(as: place.name, replacing: false)
        await again.close()
    }

    func keepsAnExistingFile() async throws {
        let place = try place()
        let file = try await synchronizedPart([1], at: place)
        // It appears between a download's survey and its end.
        try stage.put(.file, [8, 8], as: place.name)
        let problem = await expect(.destinationExists) {
            try await file.publish(as: place.name, replacing: false)
        }
        #expect(problem?.problem.disposition == .permanent)
        #expect(try stage.contents(of: place.name) == [8, 8])
        #expect(try stage.contents(of: place.part) == [1])
        // Another free name works, as with --auto-rename.
        try await file.publish(as: place.name.numbered(1), replacing: false)
        #expect(try stage.contents(of: place.name.numbered(1)) == [1])
        await file.close()
    }

    func replacesNoFileThatIsBeingWritten() async throws {
        let victim = try place("x")
        let written = try await fileSystem.createNamedPart(at: victim)
        try written.write([1], at: 0)
        // A file named `x.part`, which is the part file of the other one.
        let place = FilePlace(directory: stage.directory, name: victim.part)
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([2], at: 0)
        try await file.synchronize()
        let problem = await expect(.cannotOpen) { try await file.publish(as: place.name, replacing: true) }
        #expect(problem?.problem.disposition == .transient(retryAfter: nil))
        #expect(try stage.contents(of: victim.part) == [1])
        await written.close()
        try await file.publish(as: place.name, replacing: true)
        await file.close()
        #expect(try stage.contents(of: victim.part) == [2])
    }

    func replacesAFileWhenAllowed() async throws {
        let place = try place()
        try stage.put(.file, [8, 8], as: place.name)
        let file = try await synchronizedPart([1], at: place)
        try await file.publish(as: place.name, replacing: true)
        await file.close()
        #expect(try stage.contents(of: place.name) == [1])
        #expect(try stage.names() == ["file.bin"])
        // The same holds when there is no file to replace.
        let other = try self.place("other.bin")
        let second = try await synchronizedPart([2], at: other)
        try await second.publish(as: other.name, replacing: true)
        await second.close()
        #expect(try stage.contents(of: other.name) == [2])
    }

    func neverReplacesWhatIsNoFile() async throws {
        for kind in [FileSurvey.Kind.directory, .symbolicLink, .stream] {
            let place = try place("kept-\(kind)")
            let identity = try stage.put(kind, [], as: place.name)
            let before = try stage.linked()
            let file = try await synchronizedPart([1], at: place)
            for replacing in [false, true] {
                let problem = await expect(.destinationExists) {
                    try await file.publish(as: place.name, replacing: replacing)
                }
                #expect(problem?.problem.disposition == .permanent)
            }
            let final = try await fileSystem.survey(place).final
            #expect(final?.identity == identity && final?.kind == kind)
            #expect(try stage.contents(of: place.part) == [1])
            #expect(try stage.linked() == before)
            await file.close()
        }
    }

    func isClosedWhenItIsPublished() async throws {
        for isNamed in [false, true] {
            let place = try place("closed-\(isNamed)")
            let file = try await fileSystem.createPart(at: place)
            if isNamed { try await file.takeName() }
            try file.write([1], at: 0)
            try await file.synchronize()
            // After a failure it is still open.
            try stage.put(.file, [8], as: place.name)
            await expect(.destinationExists) { try await file.publish(as: place.name, replacing: false) }
            try stage.remove(place.name)
            try await file.publish(as: place.name, replacing: false)
            await expect(.internalFault) { try file.write([2], at: 1) }
            await expect(.internalFault) { try await file.publish(as: place.name, replacing: true) }
            // Its lock is free.
            let published = FilePlace(directory: place.directory, name: place.name, part: place.name)
            let opened = try await fileSystem.openPart(at: published, identity: file.identity)
            await file.close()
            #expect(try await opened.read(0..<9) == [1])
            await opened.close()
        }
    }

    func refusesToPublishAReplacedPartFile() async throws {
        let place = try place()
        let file = try await synchronizedPart([1], at: place)
        try stage.remove(place.part)
        let absent = await expect(.partFileLost) {
            try await file.publish(as: place.name, replacing: false)
        }
        #expect(absent?.problem.disposition == .transient(retryAfter: nil))
        try stage.put(.file, [6, 6, 6], as: place.part)
        let replaced = await expect(.partFileLost) {
            try await file.publish(as: place.name, replacing: true)
        }
        #expect(replaced?.problem.disposition == .permanent)
        await file.close()
        #expect(try stage.contents(of: place.part) == [6, 6, 6])
        #expect(try stage.contents(of: place.name) == nil)
    }

    func removesLinksOnly() async throws {
        let before = try stage.linked()
        for kind in [FileSurvey.Kind.file, .directory, .symbolicLink, .stream] {
            let place = try place("link-\(kind)")
            #expect(try await !fileSystem.removeLink(at: place))
            try stage.put(kind, [], as: place.name)
            #expect(try await fileSystem.removeLink(at: place) == (kind == .symbolicLink))
            let isGone = try await fileSystem.survey(place).final == nil
            #expect(isGone == (kind == .symbolicLink))
        }
        #expect(try stage.linked() == before)
    }

    func removesItsPartFileOnly() async throws {
        let place = try place()
        let file = try await fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        let other = try stage.put(.file, [2], as: FileName(userGiven: "other"))
        try await fileSystem.removePart(at: place, identity: other)
        #expect(try stage.contents(of: place.part) == [1])
        try await fileSystem.removePart(at: place, identity: file.identity)
        try await fileSystem.removePart(at: place, identity: file.identity)
        #expect(try stage.names() == ["other"])
        let missing = FilePlace(directory: stage.directory + "/not-there", name: place.name)
        try await fileSystem.removePart(at: missing, identity: file.identity)
        await file.close()
    }
}
