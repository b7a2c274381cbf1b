import FerryCore
import Foundation
import Testing

@testable import FerryIO

@Suite struct FileStatusTests {
    @Test(arguments: [FileSurvey.Kind.file, .directory, .symbolicLink, .stream])
    func isWhatTheSystemTells(_ kind: FileSurvey.Kind) throws {
        let stage = try PartFileDirectory()
        let name = try FileName(userGiven: "entry")
        try stage.put(kind, [1, 2, 3], as: name)
        var known = stat()
        try stage.check(lstat(stage.path(name), &known))
        let found = try #require(try DirectoryHandle(stage.directory).status(of: name))
        #expect(found.identity.device == UInt64(known.st_dev))
        #expect(found.identity.inode == UInt64(known.st_ino))
        #expect(found.kind == kind && found.length == (kind == .file ? 3 : 0))
        #expect(found.allocated == Int64(known.st_blocks) * 512)
        #expect(found.links == UInt64(known.st_nlink))
        #expect(found.owner == known.st_uid && found.permissions == known.st_mode & 0o7777)
        let seconds = Int64(known.st_mtim.tv_sec)
        #expect(found.modified == seconds * 1_000_000_000 + Int64(known.st_mtim.tv_nsec))
    }

    @Test func isTheSameByEachWayToAFile() throws {
        let stage = try PartFileDirectory()
        let handle = try DirectoryHandle(stage.directory)
        let open = try FileStatus(of: handle.descriptor)
        let named = try FileStatus(following: stage.directory)
        let entry = try DirectoryHandle(stage.root).status(of: FileName(userGiven: "downloads"))
        #expect(open == named && open == entry)
        #expect(open.identity.birth == entry?.identity.birth)
        #expect(try handle.status(of: FileName(userGiven: "nothing")) == nil)
    }
}
