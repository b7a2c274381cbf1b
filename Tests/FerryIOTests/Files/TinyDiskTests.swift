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

    @Test func aSealedFileResumesFromTheChunkThatFoundNoRoom() async throws {
        let disk = try TinyDisk(mebibytes: 1)
        let keys = try PartFileDirectory()
        let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads, keyDirectory: keys.root)
        let place = FilePlace(directory: disk.path, name: try FileName(userGiven: "file.bin"))
        let recipients = ["age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"]
        let chunk = Int(PartSeal.chunkLength)
        let text = (0..<(20 * chunk + 9)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let named = try await fileSystem.createNamedPart(at: place)
        let first = try await fileSystem.sealing(named, for: recipients, resuming: nil)
        first.expect(Int64(text.count))
        var written = 0
        var failure: TransferFailure.Code?
        do throws(StorageProblem) {
            while written < 20 {
                let start = written * chunk
                try first.write(Array(text[start..<(start + chunk)]), at: Int64(start))
                written += 1
            }
        } catch {
            failure = error.problem.failure.code
        }
        #expect(failure == .diskFull && written > 0)
        let seal = try #require(first.seal)
        await first.close()

        try disk.resize(mebibytes: 4)
        let opened = try await fileSystem.openPart(at: place, identity: first.identity)
        let second = try await fileSystem.sealing(opened, for: recipients, resuming: seal)
        second.expect(Int64(text.count))
        // That chunk may be on the disk in part.
        try second.write(Array(text[(written * chunk)...]), at: Int64(written * chunk))
        try await second.cut(behind: Int64(text.count))
        #expect(try await second.read(0..<Int64(text.count)) == text)
        await second.close()
        #expect(try await fileSystem.survey(place).part?.length == seal.fileLength(of: Int64(text.count)))
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

    @Test func aReadOnlyDiskIsAConditionAndSaysWhenItIsWritable() async throws {
        let disk = try TinyDisk(mebibytes: 2)
        try disk.makeReadOnly()
        let fileSystem = POSIXPartFileSystem(threads: PartFileDirectory.threads)
        let place = FilePlace(directory: disk.path, name: try FileName(userGiven: "file.bin"))
        let problem = try await problem { _ = try await fileSystem.createNamedPart(at: place) }
        #expect(problem?.problem.failure.code == .cannotCreate)
        #expect(problem?.problem.disposition == .condition(.diskMount))
        #expect(problem?.problem.failure.message.contains("read-only") == true)
        #expect(await fileSystem.isReadOnly(disk.path))
        try disk.makeReadOnly(false)
        #expect(await fileSystem.isReadOnly(disk.path) == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
        #expect(await fileSystem.isReadOnly(disk.path + "/missing") == false)
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

    func makeReadOnly(_ isReadOnly: Bool = true) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("tmpfs", path, "tmpfs", flags, "") == 0 else { throw POSIXError(.EPERM) }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
#endif
