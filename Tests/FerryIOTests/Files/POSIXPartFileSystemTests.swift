import Crypto
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO

@Suite struct POSIXPartFileSystemTests {
    @Test(arguments: PartFileSystemConformance.allCases)
    func conforms(_ behaviour: PartFileSystemConformance) async throws {
        try await behaviour.check(on: PartFileDirectory())
    }

    /// What needs a disk that can make files without a name.
    private static let nameless: Set<PartFileSystemConformance> = [
        .hasNoNameBeforeItTakesIt, .leavesAnEmptyFileOfAnotherProgram, .refusesANameThatWasTakenMeanwhile,
    ]

    @Test(arguments: PartFileSystemConformance.allCases.filter { !nameless.contains($0) })
    func conformsWhereEveryFileMustHaveAName(_ behaviour: PartFileSystemConformance) async throws {
        try await behaviour.check(on: PartFileDirectory(createsNameless: false))
    }

    @Test func leavesNoLockToACopyOfItsDescriptor() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        // As a process has that is just being started, until it becomes another program.
        let copy = dup(try #require(try Self.descriptor(of: file.identity)))
        defer { close(copy) }
        await file.close()
        let again = try await stage.fileSystem.openPart(at: place, identity: file.identity)
        await again.close()
    }

    /// A descriptor of this process by which a file is open.
    private static func descriptor(of identity: FileIdentity) throws -> Int32? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .first { number in
                var status = stat()
                return fstat(number, &status) == 0 && UInt64(status.st_ino) == identity.inode
                    && UInt64(status.st_dev) == identity.device
            }
    }

    @Test func takesOverAnEmptyFileOnlyWhereEveryFileMustHaveAName() async throws {
        let stage = try PartFileDirectory(createsNameless: false)
        let place = try stage.place()
        let identity = try stage.put(.file, [], as: place.part)
        let file = try await stage.fileSystem.createPart(at: place)
        #expect(file.identity == identity)
        try await file.takeName()
        await file.close()
    }

    @Test func followsALinkToTheDirectoryThatTheUserNamed() async throws {
        let stage = try PartFileDirectory()
        let link = stage.root + "/link"
        try stage.check(symlink(stage.directory, link))
        let place = FilePlace(directory: link, name: try FileName(userGiven: "file.bin"))
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try stage.contents(of: place.name) == [1])
    }

    @Test func staysInTheDirectoryThatWasOpenedWhenItsPathComesToLeadElsewhere() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        try await file.synchronize()
        // The directory moves away, and a link to another one takes its place.
        let trap = stage.root + "/trap"
        let moved = stage.root + "/moved"
        try stage.check(mkdir(trap, 0o755))
        try stage.check(rename(stage.directory, moved))
        try stage.check(symlink(trap, stage.directory))
        let problem = try await problem {
            _ = try await file.publish(as: place.name, replacing: true)
        }
        await file.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: trap) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["file.bin"])
        #expect(problem?.problem.failure.code == .destinationMoved)
        #expect(
            problem?.problem.failure.message.contains("\(moved)/file.bin") == true,
            "it says where the file is"
        )
    }

    @Test(
        arguments: [
            ("/else/a.bin", "it is /else/a.bin."), ("//a.bin", "it is in the directory that had this path."),
            ("/d/a.bin", "it is in the directory below what is mounted there now."),
            (nil, "it is in the directory that had this path."),
        ] as [(String?, String)]
    )
    func namesOnlyAPathAtWhichTheMovedFileIs(present: String?, end: String) {
        let message = StorageProblem.moved("/d/a.bin", to: present).problem.failure.message
        #expect(message.hasSuffix(end), "\(message)")
    }

    @Test(arguments: [(0o600, 0o600), (0o666, 0o644), (0o755, 0o644)] as [(mode_t, mode_t)])
    func theReplacementOfAFileAllowsNobodyMore(old: mode_t, new: mode_t) async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        _ = try stage.put(.file, [7], as: place.name)
        try stage.check(chmod(place.path, old))
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try stage.check(chmod(place.partPath, 0o644))
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: true)
        await file.close()
        var status = stat()
        try stage.check(stat(place.path, &status))
        #expect(status.st_mode & 0o7777 == new)
    }

    @Test func aLinkToTheDirectoryThatWasMovedStillLeadsToTheFile() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createPart(at: place)
        try await file.synchronize()
        try stage.check(rename(stage.directory, stage.root + "/moved"))
        try stage.check(symlink(stage.root + "/moved", stage.directory))
        try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try stage.contents(of: place.name) == [])
    }

    /// What was published would belong to another user, or could be changed by one.
    @Test(arguments: ["another user's", "a program", "writable by all", "linked twice"])
    func takesOverNoEmptyFileThatItWouldNotHaveMade(kind: String) async throws {
        let stage = try PartFileDirectory(createsNameless: false)
        let place = try stage.place()
        try stage.put(.file, [], as: place.part)
        switch kind {
        case "another user's":
            guard geteuid() == 0 else { return }
            try stage.check(chown(place.partPath, 65_534, 65_534))
        case "a program": try stage.check(chmod(place.partPath, 0o4755))
        case "writable by all": try stage.check(chmod(place.partPath, 0o666))
        default: try stage.check(link(place.partPath, stage.root + "/second"))
        }
        let problem = try await problem { _ = try await stage.fileSystem.createPart(at: place) }
        #expect(problem?.problem.failure.code == .destinationExists)
        #expect(try stage.contents(of: place.part) == [])
    }

    /// Neither a new mode nor a second name is a change of the bytes; only these two are seen.
    @Test func theTimeOfTheLastChangeTellsOnlyOfTheBytes() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createPart(at: place)
        try file.write([1, 2, 3], at: 0)
        try await file.synchronize()
        let published = try await file.publish(as: place.name, replacing: false)
        await file.close()
        try stage.check(chmod(place.path, 0o600))
        try stage.check(link(place.path, stage.root + "/second"))
        #expect(try await stage.fileSystem.survey(place).final?.modified == published)
        try stage.check(utimensat(AT_FDCWD, place.path, nil, 0))
        #expect(try await stage.fileSystem.survey(place).final?.modified != published)
    }

    @Test func aDigestOfManySlicesIsThatOfTheWhole() async throws {
        let stage = try PartFileDirectory()
        let file = try await stage.fileSystem.createNamedPart(at: try stage.place())
        let length: Int64 = 65 << 20 | 5
        try file.write([1, 2, 3], at: 32 << 20)
        try file.write([4], at: length - 1)
        var bytes = Data(count: Int(length))
        bytes.replaceSubrange((32 << 20)..<(32 << 20 + 3), with: [1, 2, 3])
        bytes[bytes.count - 1] = 4
        let expected = Checksum(algorithm: .sha256, digest: SHA256.hash(data: bytes))
        #expect(try await file.digest(.sha256, length: length) == expected)
        var digester = Digester(.crc64nvme)
        bytes.withUnsafeBytes { digester.update($0) }
        #expect(try await file.digest(.crc64nvme, length: length) == digester.checksum)
        await file.close()
    }

    @Test func saysThatTheDirectoryIsNone() async throws {
        let stage = try PartFileDirectory()
        let place = FilePlace(directory: stage.root + "/outside", name: try FileName(userGiven: "file.bin"))
        let problem = try await problem { _ = try await stage.fileSystem.createNamedPart(at: place) }
        #expect(problem?.problem.failure.code == .cannotCreate)
        #expect(problem?.problem.disposition == .permanent)
        #expect(problem?.problem.failure.message.hasSuffix("it is not a directory.") == true)
    }

    @Test func namesTheMissingDirectory() async throws {
        let problem = try await problem {
            _ = try await POSIXPartFileSystem(threads: PartFileDirectory.threads).freeSpace(
                in: "/no/it's here"
            )
        }
        #expect(problem?.problem.failure.remedies == [.createDirectory(path: "/no/it's here"), .retry])
    }

    @Test(.enabled(if: geteuid() == 0, "the other user's view needs root to set up"))
    func saysThatTheDirectoryIsReadOnly() async throws {
        // /proc/sys refuses new files to everybody, root included.
        let place = FilePlace(directory: "/proc/sys/kernel", name: try FileName(userGiven: "file.bin"))
        let problem = try await problem { _ = try await self.fileSystem.createNamedPart(at: place) }
        #expect(problem?.problem.failure.code == .cannotCreate)
        #expect(problem?.problem.failure.message.contains("/proc/sys/kernel/file.bin.part") == true)
    }

    @Test func refusesToTakeOverAnEmptyFileWithASecondName() async throws {
        let stage = try PartFileDirectory(createsNameless: false)
        let place = try stage.place()
        try stage.put(.file, [], as: FileName(userGiven: "elsewhere"))
        try stage.check(link(stage.directory + "/elsewhere", place.partPath))
        let problem = try await problem { _ = try await stage.fileSystem.createNamedPart(at: place) }
        #expect(problem?.problem.failure.code == .destinationExists)
    }

    @Test func finishesARenameThatStoppedAfterTheLink() async throws {
        let stage = try PartFileDirectory()
        for replacing in [false, true] {
            let place = try stage.place("linked-\(replacing)")
            let file = try await stage.fileSystem.createNamedPart(at: place)
            try file.write([1], at: 0)
            try await file.synchronize()
            try stage.check(link(place.partPath, place.path))
            try await file.publish(as: place.name, replacing: replacing)
            await file.close()
            #expect(try stage.contents(of: place.name) == [1])
            #expect(try stage.contents(of: place.name.partName) == nil)
        }
    }

    @Test func finishesALinkWhoseAnswerWasLost() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createPart(at: place)
        try file.write([1], at: 0)
        try await file.synchronize()
        guard !file.isNamed else { return await file.close() }
        let descriptor = try #require(try Self.descriptor(of: file.identity))
        let path = "/proc/self/fd/\(descriptor)"
        try stage.check(linkat(AT_FDCWD, path, AT_FDCWD, place.path, AT_SYMLINK_FOLLOW))
        try await file.publish(as: place.name, replacing: false)
        #expect(try stage.contents(of: place.name) == [1])
    }

    @Test func locksOutAnOpeningThatHasNothingToDoWithFerry() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let identity = try stage.put(.file, [], as: place.name.partName)
        let other = open(place.partPath, O_RDONLY)
        defer { close(other) }
        try stage.check(flock(other, LOCK_EX | LOCK_NB))
        let problem = try await problem {
            _ = try await stage.fileSystem.openPart(at: place, identity: identity)
        }
        let message = "Another transfer or program is writing \(place.partPath)."
        #expect(problem?.problem.failure.message == message)
        try stage.check(flock(other, LOCK_UN))
        let file = try await stage.fileSystem.openPart(at: place, identity: identity)
        #expect(flock(other, LOCK_EX | LOCK_NB) == -1)
        await file.close()
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    }

    /// As after a boot or a remount; where the file system does not know when a file was made, nothing proves it.
    @Test func findsAPartFileAgainWhoseDeviceHasAnotherNumber() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([7], at: 0)
        await file.close()
        let survey = try await stage.fileSystem.survey(place)
        #expect(survey.part?.identity.birth == file.identity.birth)
        var claimed = file.identity
        claimed.device += 1
        var other = claimed
        other.birth = (claimed.birth ?? 0) + 1
        for unproved in [other, FileIdentity(device: claimed.device, inode: claimed.inode)] {
            let problem = try await problem {
                _ = try await stage.fileSystem.openPart(at: place, identity: unproved)
            }
            #expect(problem?.problem.failure.code == .partFileLost)
            try await stage.fileSystem.removePart(at: place, identity: unproved)
            #expect(try stage.contents(of: place.part) == [7], "a foreign file is never removed")
        }
        guard claimed.birth != nil else { return }
        let opened = try await stage.fileSystem.openPart(at: place, identity: claimed)
        #expect(opened.identity == file.identity, "it is known by its present number from then on")
        await opened.close()
        try await stage.fileSystem.removePart(at: place, identity: claimed)
        #expect(try stage.contents(of: place.part) == nil)
    }

    @Test func givesAPartFileTheModeThatTheUserWants() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        await stage.fileSystem.createPartAndClose(at: place)
        var status = stat()
        try stage.check(lstat(place.partPath, &status))
        // The mask cannot be read without being set; what this process gives any new file tells it.
        let plain = open(stage.root + "/plain", O_CREAT | O_WRONLY, 0o666)
        var expected = stat()
        try stage.check(fstat(plain, &expected))
        close(plain)
        #expect(status.st_mode == expected.st_mode)
    }

    @Test func reservesSpaceBeyondTheLength() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try await file.reserve(8 << 20)
        var status = stat()
        try stage.check(lstat(place.partPath, &status))
        #expect(status.st_size == 0)
        // Where the file system cannot, nothing is reserved and nothing fails.
        #expect(status.st_blocks == 0 || Int64(status.st_blocks) * 512 >= 8 << 20)
        await file.close()
    }

    @Test func writesNothingBehindTheEndOfAFileThatSomebodyHasCut() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([1, 2, 3, 4], at: 100)
        try file.write([5], at: 50)
        try await file.cut(behind: 60)
        try file.write([6], at: 60)
        try stage.check(truncate(place.partPath, 55))
        for offset in [0, 55, 61, 1000] as [Int64] {
            let problem = try await problem { try file.write([7], at: offset) }
            #expect(problem?.problem.failure.code == .partFileLost)
        }
        var status = stat()
        try stage.check(lstat(place.partPath, &status))
        #expect(status.st_size == 55)
        await file.close()
    }

    @Test func syncsAWholeFileTogetherWithItsBytes() async throws {
        let stage = try PartFileDirectory()
        let file = try await stage.fileSystem.createPart(at: stage.place())
        guard !file.isNamed else { return await file.close() }
        #expect(!file.isSynchronized)
        try await file.write(whole: [1, 2])
        #expect(file.isSynchronized)
        try file.write([3], at: 2)
        #expect(!file.isSynchronized)
        try await file.synchronize()
        #expect(file.isSynchronized)
        // The name is not durable with the bytes.
        try await file.takeName()
        #expect(!file.isSynchronized)
        await file.close()
    }

    @Test func refusesToSyncAWholeFileAgainOnceThatFailed() async throws {
        let stage = try PartFileDirectory()
        let file = try await stage.fileSystem.createPart(at: stage.place())
        guard !file.isNamed else { return await file.close() }
        // A device that takes every byte and cannot be synced.
        let device = open("/dev/null", O_RDWR)
        let descriptor = try #require(try Self.descriptor(of: file.identity))
        try stage.check(dup2(device, descriptor) == descriptor ? 0 : -1)
        try stage.check(close(device))
        let failure = try await problem { try await file.write(whole: [1, 2]) }
        #expect(failure?.errno == EINVAL && !file.isSynchronized)
        let refusal = try await problem { try await file.synchronize() }
        #expect(refusal?.errno == EIO && !file.isSynchronized)
        await file.close()
    }

    @Test func goesOnInACancelledTask() async throws {
        let stage = try PartFileDirectory()
        let place = try stage.place()
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([1], at: 0)
        // What was begun is brought to rest: a pause cancels the task and still wants its bytes durable.
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await file.synchronize()
            try await file.publish(as: place.name, replacing: false)
            await file.close()
        }
        try await task.value
        #expect(try stage.names() == ["file.bin"])
    }

    private var fileSystem: POSIXPartFileSystem { POSIXPartFileSystem(threads: PartFileDirectory.threads) }
}

extension PartFileSystem {
    fileprivate func createPartAndClose(at place: FilePlace) async {
        do {
            let file = try await createNamedPart(at: place)
            await file.close()
        } catch {
            Issue.record(error)
        }
    }
}
