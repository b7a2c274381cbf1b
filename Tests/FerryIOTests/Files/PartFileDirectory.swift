import FerryCore
import FerryTesting
import Foundation

@testable import FerryIO

/// A directory that is there as long as this object is, with a place outside for links to lead to.
final class PartFileDirectory: PartFileSystemStage {
    static let threads = IOThreads(count: 4)

    let fileSystem: any PartFileSystem
    let root: String
    var directory: String { root + "/downloads" }
    private var outside: String { root + "/outside" }

    /// Makes the directory; its file system gives files their names at once when it is asked to.
    init(createsNameless: Bool = true) throws {
        fileSystem = POSIXPartFileSystem(
            threads: PartFileDirectory.threads,
            createsNameless: createsNameless
        )
        var template = Array((NSTemporaryDirectory() + "ferry-files-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let bytes = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // Without links, so that messages can be compared with it.
        root = URL(fileURLWithPath: String(decoding: bytes, as: UTF8.self)).resolvingSymlinksInPath().path
        try check(mkdir(directory, 0o755))
        try write([42, 42], to: outside)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: root)
        } catch {
            print("left behind: \(root): \(error)")
        }
    }

    func path(_ name: FileName) -> String { "\(directory)/\(name.rawValue)" }

    func place(_ name: String = "file.bin") throws -> FilePlace {
        FilePlace(directory: directory, name: try FileName(userGiven: name))
    }

    @discardableResult
    func put(_ kind: FileSurvey.Kind, _ bytes: [UInt8], as name: FileName) throws -> FileIdentity {
        let path = path(name)
        switch kind {
        case .file: try write(bytes, to: path)
        case .directory: try check(mkdir(path, 0o755))
        case .symbolicLink: try check(symlink(outside, path))
        case .stream: try check(mkfifo(path, 0o644))
        case .other: throw CocoaError(.featureUnsupported)
        }
        var status = stat()
        try check(lstat(path, &status))
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    func remove(_ name: FileName) throws {
        try check(unlink(path(name)))
    }

    func contents(of name: FileName) throws -> [UInt8]? {
        var status = stat()
        guard lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try Array(Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    func names() throws -> [String] {
        // Not FileManager, which composes names.
        guard let handle = opendir(directory) else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    func linked() throws -> [UInt8]? {
        try Array(Data(contentsOf: URL(fileURLWithPath: outside)))
    }

    func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }

    func check(_ result: Int32) throws {
        guard result == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}

/// The problem that `body` fails with.
func problem(_ body: () async throws -> Void) async throws -> StorageProblem? {
    do {
        try await body()
        return nil
    } catch let problem as StorageProblem {
        return problem
    }
}
