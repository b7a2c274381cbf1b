import Crypto
import FerryCore
import Foundation
import Testing

@testable import FerryIO

/// The copies of bodies that are not files, on a real disk.
@Suite struct BodyCopiesTests {
    private let stage: PartFileDirectory
    private var path: String { stage.root + "/bodies" }
    private let uuid: TransferUUID

    init() throws {
        stage = try PartFileDirectory()
        uuid = try #require(TransferUUID("01890a5d-ac96-774b-bcce-b302099a8057"))
    }

    /// The copies as another process sees them.
    private func files() -> POSIXBodyFiles {
        POSIXBodyFiles(threads: PartFileDirectory.threads, copies: path)
    }

    private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    private func copy(_ bytes: [UInt8], in files: POSIXBodyFiles) async throws -> PinnedFile {
        let copy = try await files.copy(for: uuid)
        for part in bytes { try await copy.append([part]) }
        return try await copy.finish()
    }

    @Test func isOpenToItsOwnerOnlyAndCanBeSentByTheKernel() async throws {
        let files = files()
        let pinned = try await copy([1, 2, 3], in: files)
        #expect(pinned.isCopy && pinned.path == "\(uuid)" && pinned.length == 3)
        #expect(try mode(path) == 0o700 && mode("\(path)/\(uuid)") == 0o600)
        let opened = try await files.open(StoredBody(pinned))
        guard case .source(let source) = opened else {
            Issue.record("not read from the copy")
            return
        }
        #expect(source.length == 3 && source.descriptor != nil)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(uuid)")) == Data([1, 2, 3]))
        await #expect(throws: StorageProblem.self) { try await files.copy(for: uuid) }
    }

    /// A copy that is being made, or whose transfer is being added, belongs to a living process.
    @Test func isRemovedOnlyWhenNoProcessMakesItAndNoTransferNeedsIt() async throws {
        let (files, other) = (files(), files())
        let copy = try await files.copy(for: uuid)
        try await copy.append([1])
        try await other.removeCopies { _ in false }
        #expect(try names().count == 1)
        _ = try await copy.finish()
        try await other.removeCopies { _ in false }
        #expect(try names().count == 1)
        files.release(copiesFor: [uuid])
        let asked = uuid
        try await other.removeCopies { uuid in
            #expect(uuid == asked)
            return true
        }
        #expect(try names() == ["\(uuid)"])
        try await other.removeCopies { _ in false }
        #expect(try names().isEmpty)
    }

    @Test func goesWhenItsProcessGivesUp() async throws {
        let files = files()
        let copy = try await files.copy(for: uuid)
        await copy.discard()
        #expect(try names().isEmpty)
        #expect(!files.releaseAll())
        _ = try await self.copy([1], in: files)
        #expect(files.releaseAll())
        try await files.removeCopies { _ in true }
        #expect(try names().count == 1)
        try await files.removeCopies { _ in false }
        #expect(try names().isEmpty)
        _ = try await self.copy([1], in: files)
        try await files.removeCopy(for: uuid)
        #expect(try names().isEmpty)
        try await files.removeCopy(for: uuid)
    }

    /// The number of its descriptor must not be used again while something may be written under it.
    @Test func staysOpenWhileItIsWrittenAlsoWhenItWasReleased() async throws {
        let files = files()
        let copy = try await files.copy(for: uuid)
        try await copy.append([1])
        files.release(copiesFor: [uuid])
        try await copy.append([2])
        #expect(try await copy.finish().length == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(uuid)")) == Data([1, 2]))
        try await self.files().removeCopies { _ in false }
        #expect(try names().isEmpty)
    }

    @Test func otherFilesInTheDirectoryStay() async throws {
        try await files().removeCopies { _ in false }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try stage.write([1], to: path + "/notes.txt")
        try await files().removeCopies { _ in false }
        #expect(try names() == ["notes.txt"])
    }

    @Test func digestsAreOfTheWholeBodyAndOfThePinnedFileOnly() async throws {
        let files = files()
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
        try stage.write(bytes, to: stage.root + "/a")
        var body = StoredBody([7, 8])
        body.append(try await files.pin(stage.root + "/a"))
        body.append([9])
        let found = try await files.digests(of: files.open(body), by: [.sha512, .md5, .sha256])
        let whole = [7, 8] + bytes + [9]
        #expect(
            found == [
                Checksum(algorithm: .sha512, digest: SHA512.hash(data: whole)),
                Checksum(algorithm: .md5, digest: Insecure.MD5.hash(data: whole)),
                Checksum(algorithm: .sha256, digest: SHA256.hash(data: whole)),
            ]
        )
        let small = try await files.digests(of: .bytes([1]), by: [.sha256])
        #expect(small == [Checksum(algorithm: .sha256, digest: SHA256.hash(data: [1]))])
        try stage.write(bytes + [1], to: stage.root + "/a")
        let problem = await #expect(throws: Problem.self) {
            try await files.digests(of: files.open(body), by: [.sha256])
        }
        #expect(problem?.failure.code == .bodyChanged)
    }
}
