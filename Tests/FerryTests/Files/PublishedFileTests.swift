import Ferry
import FerryCore
import FerryTesting
import Testing

@Suite("A file that no transfer records gets its name when it is whole")
struct PublishedFileTests {
    private let disk = MemoryPartFileSystem(directories: ["/d"])

    private func name() throws -> FileName { try FileName(userGiven: "file") }

    private func created(replacing: Bool) async throws -> PublishedFile {
        try await PublishedFile(
            at: FilePlace(directory: "/d", name: name()),
            replacesExisting: replacing,
            in: disk,
            running: { work throws(StorageProblem) in try work() }
        )
    }

    /// A file with the bytes 1, 2 and 3 that was about to replace one with the byte 9.
    private func draft() async throws -> PublishedFile {
        try disk.put(.file, [9], as: name(), in: "/d")
        let file = try await created(replacing: true)
        try await file.write([1, 2, 3])
        #expect(disk.names(in: "/d") == ["file"])
        // The first call meets the existing file.
        disk.inject(FileFault(.publish, call: 2))
        await #expect(throws: StorageProblem.ordered) { try await file.publish() }
        #expect(disk.names(in: "/d") == [".file.ferry.part", "file"])
        #expect(try disk.contents(of: name(), in: "/d") == [9])
        return file
    }

    @Test("a free name is taken without a name for the draft", arguments: [false, true])
    func takesAFreeNameAtOnce(replacing: Bool) async throws {
        let file = try await created(replacing: replacing)
        try await file.write([1, 2, 3])
        try await file.publish()
        #expect(disk.calls(of: .takeName) == 0)
        #expect(disk.names(in: "/d") == ["file"])
        #expect(try disk.contents(of: name(), in: "/d") == [1, 2, 3])
    }

    @Test("the draft of a killed process is whole, and the next writer removes it, even if it is refused")
    func removesTheDraftOfAKilledProcess() async throws {
        _ = try await draft()
        disk.killProcess()
        #expect(try disk.contents(of: name().draftName, in: "/d") == [1, 2, 3])
        let refusal = try await #require(throws: StorageProblem.self) {
            _ = try await created(replacing: false)
        }
        #expect(refusal.problem.failure.code == .destinationExists)
        #expect(disk.names(in: "/d") == ["file"])
        #expect(try disk.contents(of: name(), in: "/d") == [9])
    }

    @Test("the draft of a living process is left to it")
    func leavesTheDraftOfALivingProcess() async throws {
        let file = try await draft()
        await #expect(throws: StorageProblem.self) { _ = try await created(replacing: true) }
        #expect(disk.names(in: "/d") == [".file.ferry.part", "file"])
        try await file.publish()
        #expect(disk.names(in: "/d") == ["file"])
        #expect(try disk.contents(of: name(), in: "/d") == [1, 2, 3])
    }

    @Test(
        "a link is not replaced, and the refusal says so, whether it has the final name or that of the draft"
    )
    func refusesALink() async throws {
        for (isDraft, replacing) in [(false, false), (false, true), (true, false), (true, true)] {
            let disk = MemoryPartFileSystem(directories: ["/d"])
            let place = try FilePlace(directory: "/d", name: name())
            let taken = isDraft ? place.name.draftName : place.name
            disk.put(.symbolicLink, [], as: taken, in: "/d")
            let refusal = try await #require(throws: StorageProblem.self) {
                _ = try await PublishedFile(
                    at: place,
                    replacesExisting: replacing,
                    in: disk,
                    running: { work throws(StorageProblem) in try work() }
                )
            }
            let failure = refusal.problem.failure
            #expect(failure.code == .destinationExists && failure.remedies == [.moveAway])
            #expect(failure.message.hasPrefix("/d/\(taken.rawValue) already exists and is a symbolic"))
            #expect(disk.names(in: "/d") == [taken.rawValue])
        }
    }

    @Test("only a refusal of a regular file says that it can be replaced")
    func offersToReplaceAFile() async throws {
        try disk.put(.file, [9], as: name(), in: "/d")
        let refusal = try await #require(throws: StorageProblem.self) {
            _ = try await created(replacing: false)
        }
        #expect(refusal.problem.failure.remedies == [.overwrite, .moveAway])
    }

    @Test("a draft that is given up is removed")
    func removesADraftThatIsGivenUp() async throws {
        try await draft().discard()
        #expect(disk.names(in: "/d") == ["file"])
        #expect(try disk.contents(of: name(), in: "/d") == [9])
    }
}
