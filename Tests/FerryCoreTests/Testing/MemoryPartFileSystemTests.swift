import FerryCore
import FerryTesting
import Testing

@Suite struct MemoryPartFileSystemTests {
    @Test(arguments: PartFileSystemConformance.allCases)
    func conforms(_ behaviour: PartFileSystemConformance) async throws {
        try await behaviour.check(on: MemoryStage())
    }

    private func place() throws -> FilePlace {
        FilePlace(directory: "/d", name: try FileName(userGiven: "file"))
    }

    private func page(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 4096) }

    @Test func aSyncThatFailsMayDropWhatItCouldNotWrite() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let file = try await disk.createNamedPart(at: place())
        try file.write(page(1), at: 0)
        try await file.synchronize()
        try file.write(page(2), at: 0)
        disk.inject(FileFault(.synchronize, effect: .half))
        await #expect(throws: StorageProblem.self) { try await file.synchronize() }
        #expect(try await file.read(0..<4096) == page(1))
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func theFirstSyncMakesTheNameDurableWhoeverMadeTheFile(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 0)
        let file = try await disk.createNamedPart(at: place())
        try file.write(page(1), at: 0)
        disk.killProcess()
        let found = try await disk.openPart(at: place(), identity: file.identity)
        try await found.synchronize()
        disk.losePower(seed: seed)
        #expect(try await disk.survey(place()).part?.identity == file.identity, "seed \(seed)")
    }

    @Test(arguments: 0..<16 as Range<UInt64>)
    func aSyncMakesNoNameDurableThatIsGivenAfterIt(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 0)
        let file = try await disk.createPart(at: place())
        try file.write(page(1), at: 0)
        try await file.synchronize()
        try await file.takeName()
        try await file.synchronize()
        disk.losePower(seed: seed)
        #expect(try await disk.survey(place()).part?.identity == file.identity, "seed \(seed)")
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func aPowerCutKeepsWhatWasSyncedAndOnlyEverMixesInWhatWasWritten(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 0)
        let file = try await disk.createNamedPart(at: place())
        for index in 0..<8 { try file.write(page(1), at: Int64(index) * 4096) }
        try await file.synchronize()
        for index in 4..<12 { try file.write(page(2), at: Int64(index) * 4096) }
        disk.losePower(seed: seed)

        await #expect(throws: StorageProblem.self) { try await file.synchronize() }
        let survey = try await disk.survey(place())
        let part = try #require(survey.part, "seed \(seed): the name was synced")
        #expect(part.identity == file.identity)
        let again = try await disk.openPart(at: place(), identity: part.identity)
        let bytes = try await again.read(0..<part.length)
        #expect(part.length >= 8 * 4096)
        for index in 0..<Int(part.length / 4096) {
            let values = Set(bytes[(index * 4096)..<((index + 1) * 4096)])
            let allowed: Set<UInt8> = index < 4 ? [1] : index < 8 ? [1, 2] : [0, 2]
            #expect(
                values.count == 1 && values.isSubset(of: allowed),
                "seed \(seed), page \(index): \(values)"
            )
        }
        await again.close()
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aSyncOfAReopenedFileMakesItsNameDurable(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 2 * 4096)
        let small = try await disk.createNamedPart(at: place())
        try small.write(page(1), at: 0)
        try await small.synchronize()
        await small.close()
        let grown = try await disk.openPart(at: place(), identity: small.identity)
        try grown.write(page(1), at: 4096)
        try await grown.synchronize()
        disk.losePower(seed: seed)
        #expect(disk.contents(of: try place().part, in: "/d") == page(1) + page(1), "seed \(seed)")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRemovedFileStaysRemovedWhenThePowerIsCut(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 0)
        let file = try await disk.createNamedPart(at: place())
        try file.write(page(1), at: 0)
        try await file.synchronize()
        await file.close()
        try await disk.removePart(at: place(), identity: file.identity)
        disk.losePower(seed: seed)
        #expect(disk.names(in: "/d") == [], "seed \(seed)")
    }

    @Test func powerCutsDifferAndTheSameSeedGivesTheSameOne() async throws {
        func outcome(_ seed: UInt64) async throws -> [UInt8]? {
            let disk = MemoryPartFileSystem(directories: ["/d"])
            let file = try await disk.createNamedPart(at: place())
            for index in 0..<6 { try file.write(page(UInt8(index + 1)), at: Int64(index) * 4096) }
            disk.losePower(seed: seed)
            return disk.contents(of: try place().name.partName, in: "/d")
        }
        var outcomes: Set<[UInt8]?> = []
        for seed in 0..<40 as Range<UInt64> {
            let first = try await outcome(seed)
            #expect(try await outcome(seed) == first, "seed \(seed)")
            outcomes.insert(first)
        }
        #expect(outcomes.contains(nil), "a name that was never synced is lost now and then")
        #expect(outcomes.count > 10)
    }

    @Test func aPowerCutInTheMiddleOfAPublicationLeavesTheFileUnderOneOfItsNames() async throws {
        var seen: Set<[String]> = []
        for seed in 0..<40 as Range<UInt64> {
            let disk = MemoryPartFileSystem(directories: ["/d"], directorySyncThreshold: 0)
            let file = try await disk.createNamedPart(at: place())
            try file.write([1, 2, 3], at: 0)
            try await file.synchronize()
            disk.inject(FileFault(.publish, effect: .half))
            await #expect(throws: StorageProblem.ordered) {
                try await file.publish(as: place().name, replacing: false)
            }
            disk.losePower(seed: seed)
            let names = disk.names(in: "/d")
            seen.insert(names)
            #expect(names.count == 1)
            let name = try FileName(userGiven: #require(names.first))
            #expect(disk.contents(of: name, in: "/d") == [1, 2, 3], "seed \(seed)")
        }
        #expect(seen == [["file"], ["file.part"]])
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aPublishedFileSurvivesEveryPowerCut(_ seed: UInt64) async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let file = try await disk.createNamedPart(at: place())
        try file.write([1, 2, 3], at: 0)
        try await file.synchronize()
        try await file.publish(as: place().name, replacing: false)
        disk.losePower(seed: seed)
        #expect(disk.names(in: "/d") == ["file"])
        #expect(disk.contents(of: try place().name, in: "/d") == [1, 2, 3])
    }

    @Test func aKilledProcessLeavesItsBytesAndNoLock() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let file = try await disk.createNamedPart(at: place())
        try file.write([1, 2, 3], at: 0)
        disk.killProcess()
        #expect(throws: StorageProblem.self) { try file.write([9], at: 0) }
        let again = try await disk.openPart(at: place(), identity: file.identity)
        // What the dead process still holds must not unlock what the living one has.
        await file.close()
        await #expect(throws: StorageProblem.self) {
            _ = try await disk.openPart(at: place(), identity: file.identity)
        }
        #expect(try await again.read(0..<10) == [1, 2, 3])
        await again.close()
    }

    @Test func failsTheCallThatWasNamedAndNoOther() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let file = try await disk.createNamedPart(at: place())
        disk.inject(FileFault(.write, call: 2, effect: .half))
        try file.write([1, 1], at: 0)
        #expect(throws: StorageProblem.ordered) { try file.write([2, 2], at: 0) }
        #expect(try await file.read(0..<2) == [2, 1])
        try file.write([3, 3], at: 0)
        #expect(disk.calls(of: .write) == 3)
        await file.close()
    }

    @Test func aFailedSyncIsNeverFollowedByOneThatSucceeds() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let file = try await disk.createNamedPart(at: place())
        try file.write([1], at: 0)
        disk.inject(FileFault(.synchronize))
        for _ in 0..<3 {
            await #expect(throws: StorageProblem.self) { try await file.synchronize() }
        }
        await #expect(throws: StorageProblem.self) {
            try await file.publish(as: place().name, replacing: false)
        }
        await file.close()
    }

    @Test func aCreationThatSaysItFailedIsTakenOverByTheNext() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        disk.inject(FileFault(.createPart, effect: .whole))
        await #expect(throws: StorageProblem.ordered) { _ = try await disk.createNamedPart(at: place()) }
        let file = try await disk.createNamedPart(at: place())
        await file.close()
    }

    @Test func aFullDiskIsAConditionUntilThereIsRoom() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"], capacity: 8192)
        let file = try await disk.createNamedPart(at: place())
        try file.write(page(1) + page(1), at: 0)
        do {
            try file.write(page(2), at: 8192)
            Issue.record("there was no room")
        } catch {
            #expect(error.problem.disposition == .condition(.diskSpace(needed: 4096)))
        }
        // What has room already may still be changed.
        try file.write(page(3), at: 4096)
        disk.setCapacity(12288)
        try file.write(page(2), at: 8192)
        #expect(try await disk.freeSpace(in: "/d") == 0)
        await file.close()
    }

    @Test func keepsWhatIsWrittenToAStream() async throws {
        let disk = MemoryPartFileSystem(directories: ["/d"])
        let stream = try await disk.openStream(path: "-", digest: nil)
        try stream.write([1, 2], at: 0)
        #expect(throws: StorageProblem.self) { try stream.write([3], at: 0) }
        try stream.write([3], at: 2)
        await stream.close()
        #expect(disk.streamed(to: "-") == [1, 2, 3])
        await #expect(throws: StorageProblem.self) {
            _ = try await disk.openStream(path: "/dev/null", digest: nil)
        }
        disk.addStream("/dev/null")
        _ = try await disk.openStream(path: "/dev/null", digest: nil)
    }
}
