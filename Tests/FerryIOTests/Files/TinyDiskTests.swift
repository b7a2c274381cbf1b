#if os(Linux)
import Crypto
import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO

/// A real disk that is full: a tiny file system in memory, for which a user must be allowed to mount one.
@Suite(.serialized, .enabled(if: TinyDisk.isAllowed, "this user may not mount a file system"))
struct TinyDiskTests {
    @Test func aFullDiskIsAConditionAndTheFileGoesOnWhenThereIsRoom() async throws {
        let disk = try TinyDisk(mebibytes: 2)
        let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads)
        let place = FilePlace(directory: disk.path, name: try FileName(userGiven: "file.bin"))
        let file = try await fileSystem.createNamedPart(at: place)
        let piece = [UInt8](repeating: 5, count: 1_500_000)
        try file.write(piece, at: 0)

        let problem = try await problem { try file.write(piece, at: 1_500_000) }
        guard case .condition(.diskSpace(let needed)) = problem?.problem.disposition else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(problem?.problem.failure.code == .diskFull)
        #expect(needed > 0 && needed <= 1_500_000)
        #expect(problem?.problem.failure.message.contains(place.partPath) == true)
        #expect(try await fileSystem.freeSpace(in: disk.path) < needed)

        try disk.resize(mebibytes: 8)
        #expect(try await fileSystem.freeSpace(in: disk.path) >= needed)
        try file.write(piece, at: 1_500_000)
        try await file.synchronize()
        let digest = try await file.digest(.sha256, length: 3_000_000)
        #expect(digest == Checksum(algorithm: .sha256, digest: SHA256.hash(data: piece + piece)))
        try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try await fileSystem.survey(place).final?.length == 3_000_000)
    }

    @Test func aReservationThatDoesNotFitIsRefusedBeforeAnythingIsTaken() async throws {
        let disk = try TinyDisk(mebibytes: 4)
        let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads)
        let place = FilePlace(directory: disk.path, name: try FileName(userGiven: "file.bin"))
        let file = try await fileSystem.createNamedPart(at: place)
        let before = try await fileSystem.freeSpace(in: disk.path)
        let problem = try await problem { try await file.reserve(6 << 20) }
        #expect(problem?.problem.disposition == .condition(.diskSpace(needed: 6 << 20)))
        #expect(try await fileSystem.freeSpace(in: disk.path) == before)

        try disk.resize(mebibytes: 16)
        try await file.reserve(6 << 20)
        #expect(try await fileSystem.freeSpace(in: disk.path) <= (16 << 20) - (6 << 20))
        // What is reserved already is not asked for again.
        try disk.resize(mebibytes: 8)
        try await file.reserve(6 << 20)
        await file.close()
    }

    @Test func aDirectoryOfAReadOnlyDiskIsPermanent() async throws {
        let disk = try TinyDisk(mebibytes: 2)
        try disk.makeReadOnly()
        let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads)
        let place = FilePlace(directory: disk.path, name: try FileName(userGiven: "file.bin"))
        let problem = try await problem { _ = try await fileSystem.createNamedPart(at: place) }
        #expect(problem?.problem.failure.code == .cannotCreate)
        #expect(problem?.problem.disposition == .permanent)
        #expect(problem?.problem.failure.message.contains("read-only") == true)
    }
}

/// A file system of a few mebibytes.
final class TinyDisk {
    static let isAllowed: Bool = {
        guard geteuid() == 0 else { return false }
        do {
            _ = try TinyDisk(mebibytes: 1)
            return true
        } catch {
            return false
        }
    }()

    let path: String

    init(mebibytes: Int) throws {
        var template = Array((NSTemporaryDirectory() + "ferry-disk-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.EIO) }
        path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
            rmdir(path)
            throw POSIXError(.EPERM)
        }
    }

    func resize(mebibytes: Int) throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(mebibytes)m") == 0 else {
            throw POSIXError(.EPERM)
        }
    }

    func makeReadOnly() throws {
        let flags = UInt(MS_REMOUNT) | UInt(MS_RDONLY)
        guard mount("tmpfs", path, "tmpfs", flags, "") == 0 else { throw POSIXError(.EPERM) }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
#endif
