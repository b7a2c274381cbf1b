import Ferry
import Foundation
import Glibc
import Testing

@testable import FerryFrontend

/// Directories whose names a server chose, below a directory.
@Suite struct OpenFolderTests {
    /// A name that begins with a combining mark. To Swift, the slash before it and the mark are one character.
    private static let path = "x/\u{301}y"

    private func withDirectory(_ body: (String) throws -> Void) throws {
        let base = NSTemporaryDirectory() + "/ferry-open-folder-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        defer { _ = try? FileManager.default.removeItem(atPath: base) }
        try body(base)
    }

    @Test func aLinkBeforeANameWithACombiningMarkIsNotFollowed() throws {
        try withDirectory { base in
            let outside = base + "/outside"
            try #require(mkdir(outside, 0o700) == 0 && mkdir(outside + "/\u{301}y", 0o700) == 0)
            let file = creat(outside + "/\u{301}y/f", 0o600)
            try #require(file >= 0)
            close(file)
            let folder = MirrorFolder(root: base + "/copy")
            _ = try folder.make()
            let paths = [Self.path, Self.path + "/f"]
            var entries = try folder.entries(at: paths)
            #expect(entries == [nil, nil])
            try #require(symlink(outside, folder.root + "/x") == 0)
            entries = try folder.entries(at: paths)
            #expect(entries == [MirrorFolder.unreachable, MirrorFolder.unreachable])
            #expect(throws: OpenFolder.Problem.self) { try folder.makeDirectory(Self.path + "/new") }
        }
    }

    @Test func nothingIsBelowAFileAndALinkHidesWhatIsBelowIt() throws {
        try withDirectory { base in
            let folder = MirrorFolder(root: base)
            try FolderTree(base).make(["real/deep"])
            for path in ["real/deep/f", "file"] {
                let file = creat("\(base)/\(path)", 0o600)
                try #require(file >= 0)
                close(file)
            }
            try #require(symlink("\(base)/real", "\(base)/link") == 0)
            var kinds: [FileSurvey.Kind?] = []
            for path in [
                "real/deep/f", "real/deep", "link", "gone", "gone/f", "real/f", "file/f", "file/f/g",
            ] {
                kinds.append(try folder.entry(at: path)?.kind)
            }
            #expect(kinds == [.file, .directory, .symbolicLink, nil, nil, nil, nil, nil])
            for path in ["link/deep", "link/deep/f", "link/gone"] {
                let problem = #expect(throws: OpenFolder.Problem.self) { try folder.entry(at: path) }
                #expect(problem?.isNoDirectory == true, "\(path)")
            }
        }
    }

    @Test func directoriesWithSuchNamesAreMade() throws {
        try withDirectory { base in
            try FolderTree(base).make([Self.path, "x/z"])
            for path in [Self.path, "x/z"] { #expect(FilePath.isDirectory(path, in: base)) }
            // They are there already.
            try FolderTree(base).make([Self.path])
        }
    }
}
