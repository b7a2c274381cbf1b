import Foundation
import Glibc
import Testing

@testable import FerryFrontend

/// Files of secrets.
@Suite struct PrivateFileTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "ferry-private-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        try body(path)
    }

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode
    }

    private func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    @Test func onlyItsOwnerReadsIt() throws {
        try withDirectory { directory in
            let path = directory + "/jar"
            let file = PrivateFile(path: path)
            #expect(!file.isThere)
            try file.write(Array("one".utf8))
            #expect(try mode(of: path) == S_IFREG | 0o600 && file.isThere)
            try #require(chmod(path, 0o666) == 0)
            // A program that has the former file open does not read the new one.
            let former = try #require(FileHandle(forReadingAtPath: path))
            let long = [UInt8](repeating: 7, count: 3_000_000)
            try file.write(long)
            #expect(try mode(of: path) == S_IFREG | 0o600)
            #expect(FileManager.default.contents(atPath: path) == Data(long))
            #expect(try former.readToEnd() == Data("one".utf8))
            try file.write([])
            #expect(FileManager.default.contents(atPath: path) == Data())
            #expect(try names(in: directory) == ["jar"])
        }
    }

    @Test func aLinkIsReplacedAndNotFollowed() throws {
        try withDirectory { directory in
            let (path, target) = (directory + "/jar", directory + "/target")
            try #require(symlink(target, path) == 0)
            try PrivateFile(path: path).write(Array("one".utf8))
            #expect(try mode(of: path) & S_IFMT == S_IFREG)
            #expect(try names(in: directory) == ["jar"])
        }
    }

    @Test func whatIsNoFileStays() throws {
        try withDirectory { directory in
            try #require(mkfifo(directory + "/fifo", 0o600) == 0)
            for path in [directory, directory + "/fifo", directory + "/missing/jar", "/dev/null", "/"] {
                let failure = #expect(throws: CommandFailure.self) { try PrivateFile(path: path).write([1]) }
                #expect(failure?.status == .cannotCreate, "\(path)")
                #expect(throws: CommandFailure.self) { try PrivateFile(path: path).check() }
            }
            #expect(try names(in: directory) == ["fifo"])
            #expect(try mode(of: "/dev/null") & S_IFMT == S_IFCHR)
        }
    }
}
