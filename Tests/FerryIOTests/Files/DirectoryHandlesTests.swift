import FerryCore
import Foundation
import Testing

@testable import FerryIO

@Suite struct DirectoryHandlesTests {
    private struct Weak {
        weak var handle: DirectoryHandle?
    }

    private let handles = DirectoryHandles()
    private let stage: PartFileDirectory
    private let place: FilePlace

    init() throws {
        stage = try PartFileDirectory()
        place = try stage.place()
    }

    @Test func allFilesOfADirectoryShareOneHandle() throws {
        let first = try handles.handle(of: place)
        #expect(try handles.handle(of: stage.place("other.bin")) === first)
        try stage.check(mkdir(stage.root + "/elsewhere", 0o755))
        let elsewhere = FilePlace(directory: stage.root + "/elsewhere", name: place.name)
        #expect(try handles.handle(of: elsewhere) !== first)
        #expect(try handles.handle(of: place) === first)
    }

    /// Linux keeps both forms of `é` apart, and `String` does not.
    @Test func directoriesWithCanonicallyEquivalentNamesAreDifferent() throws {
        let places = ["d\u{E9}", "de\u{301}"].map {
            FilePlace(directory: "\(stage.root)/\($0)", name: place.name)
        }
        for place in places { try stage.check(mkdir(place.directory, 0o755)) }
        let first = try handles.handle(of: places[0])
        let second = try handles.handle(of: places[1])
        #expect(first.identity != second.identity)
        #expect(try handles.handle(of: places[0]) === first)
        #expect(try handles.handle(of: places[1]) === second)
    }

    @Test func aDirectoryIsClosedWithItsLastUser() throws {
        func used() throws -> Weak { Weak(handle: try handles.handle(of: place)) }
        #expect(try used().handle == nil)
        let user = try handles.handle(of: place)
        #expect(try used().handle === user)
    }

    @Test func aDirectoryIsOpenedAnewAfterAFailedSync() throws {
        let failed = try handles.handle(of: place)
        failed.noteFailedSync(.defect("the disk is broken"))
        let next = try handles.handle(of: place)
        #expect(next !== failed && next.failedSync == nil)
        #expect(try handles.handle(of: place) === next)
    }

    @Test(arguments: [false, true])
    func aDirectoryThatTookThePlaceOfAnotherIsOpened(isLink: Bool) throws {
        let former = try handles.handle(of: place)
        try stage.check(rename(stage.directory, stage.root + "/moved"))
        #expect(throws: StorageProblem.self) { try handles.handle(of: place) }
        let path = isLink ? stage.root + "/target" : stage.directory
        try stage.check(mkdir(path, 0o755))
        if isLink { try stage.check(symlink(path, stage.directory)) }
        let present = try handles.handle(of: place)
        #expect(present !== former && present.identity != former.identity)
        #expect(try handles.handle(of: place) === present)
    }

    /// A link may have come to the path below the directory that the user chose.
    @Test func aDirectoryBelowARootIsOpenedAnew() throws {
        let below = FilePlace(directory: stage.directory, name: place.name, root: stage.root)
        let first = try handles.handle(of: below)
        #expect(try handles.handle(of: below) !== first)
        #expect(try handles.handle(of: place) !== first)
    }
}
