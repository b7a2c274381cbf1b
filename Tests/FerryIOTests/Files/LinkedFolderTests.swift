import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryIO

/// Folders below the directory that the user chose, whose names came from a document or a server (I6).
@Suite struct LinkedFolderTests {
    private let stage: PartFileDirectory
    private let place: FilePlace

    init() throws {
        stage = try PartFileDirectory()
        place = FilePlace(
            directory: stage.directory + "/sub/deep",
            name: try FileName(userGiven: "file.bin"),
            root: stage.directory
        )
        for path in ["/trap", "/trap/deep", "/downloads/sub", "/downloads/sub/deep"] {
            try stage.check(mkdir(stage.root + path, 0o755))
        }
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: stage.root + path).sorted()
    }

    @Test func filesAreMadeBelowTheChosenDirectory() async throws {
        let file = try await stage.fileSystem.createNamedPart(at: place)
        try file.write([1, 2], at: 0)
        try await file.synchronize()
        try await file.publish(as: place.name, replacing: false)
        await file.close()
        #expect(try await stage.fileSystem.survey(place).final?.length == 2)
        #expect(try names("/downloads/sub/deep") == ["file.bin"])
    }

    /// The chosen directory itself may be a link, as `~/Downloads` often is.
    @Test func aLinkThatTheUserNamedIsFollowed() async throws {
        let link = stage.root + "/link"
        try stage.check(symlink(stage.directory, link))
        let linked = FilePlace(directory: link + "/sub/deep", name: place.name, root: link)
        try await stage.fileSystem.createNamedPart(at: linked).close()
        #expect(try names("/downloads/sub/deep") == ["file.bin.part"])
        // The user has chosen the whole path here.
        try stage.check(rename(stage.directory + "/sub", stage.root + "/moved"))
        try stage.check(symlink(stage.root + "/moved", stage.directory + "/sub"))
        let chosen = FilePlace(directory: place.directory, name: place.name)
        #expect(try await stage.fileSystem.survey(chosen).part != nil)
    }

    @Test(arguments: ["/downloads/sub", "/downloads/sub/deep"], [false, true])
    func noLinkToElsewhereIsFollowed(_ folder: String, isFile: Bool) async throws {
        let (files, place) = (stage.fileSystem, place)
        let identity = FileIdentity(device: 1, inode: 1)
        try stage.check(rename(stage.root + folder, stage.root + "/moved"))
        if isFile {
            try stage.write([7], to: stage.root + folder)
        } else {
            try stage.check(symlink(stage.root + "/trap", stage.root + folder))
        }
        let all: [@Sendable () async throws -> Void] = [
            { _ = try await files.survey(place) },
            { _ = try await files.createPart(at: place) },
            { _ = try await files.openPart(at: place, identity: identity) },
            { _ = try await files.openFinished(at: place, identity: identity) },
            { try await files.removePart(at: place, identity: identity) },
            { _ = try await files.removeLink(at: place) },
            { try await files.adopt(at: place, identity: identity) },
            { try await files.synchronizeDirectory(of: place) },
        ]
        for (number, operation) in all.enumerated() {
            let found = try await problem(operation)
            let failure = try #require(found?.problem.failure, "operation \(number) followed it")
            #expect(failure.code == .cannotCreate && found?.problem.disposition == .permanent)
            #expect(failure.message.contains("a link or a file is in the place of a directory"), "\(failure)")
        }
        #expect(try names("/trap") == ["deep"] && names("/trap/deep") == [])
    }
}
