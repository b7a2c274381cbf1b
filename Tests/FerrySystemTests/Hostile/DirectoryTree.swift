import Foundation
import Glibc

/// The entries below a directory. Links are not followed.
///
/// Names are bytes, as in the kernel. A client may create a name that is not UTF-8, and Foundation would not find it.
struct DirectoryTree: Hashable, Sendable {
    /// The entries by their relative paths. The path of a directory ends with a `/`.
    private(set) var entries: [String: Entry] = [:]

    enum Entry: Hashable, Sendable {
        case directory
        case file(Data)
        /// A file that is too large to read, with its length.
        case large(Int)
        case link(to: String)
        /// A socket, a pipe or an entry that has vanished.
        case other
    }

    /// Reads all entries below `directory`, except paths that begin with one of `exceptions`.
    static func read(_ directory: String, except exceptions: [String] = []) throws -> DirectoryTree {
        var tree = DirectoryTree()
        try tree.read(Array(directory.utf8), below: [], except: exceptions)
        return tree
    }

    private mutating func read(_ root: [UInt8], below prefix: [UInt8], except exceptions: [String]) throws {
        for name in try Self.names(in: root + [0x2F] + prefix) {
            let path = prefix + name
            let text = String(decoding: path, as: UTF8.self)
            guard !exceptions.contains(where: text.hasPrefix) else { continue }
            let entry = Self.entry(at: root + [0x2F] + path)
            entries[entry == .directory ? text + "/" : text] = entry
            if entry == .directory { try read(root, below: path + [0x2F], except: exceptions) }
        }
    }

    private static func names(in path: [UInt8]) throws -> [[UInt8]] {
        guard let directory = (path + [0]).withCString({ opendir($0) }) else {
            throw FreePort.NoPort(errno: errno)
        }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
        return names
    }

    private static func entry(at path: [UInt8]) -> Entry {
        var status = stat()
        guard (path + [0]).withCString({ lstat($0, &status) }) == 0 else { return .other }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .directory
        case S_IFREG:
            let size = Int(status.st_size)
            return size > 64 * .mebibyte ? .large(size) : content(of: path).map(Entry.file) ?? .other
        case S_IFLNK:
            let size = 4096
            var target = [CChar](repeating: 0, count: size)
            let length = (path + [0]).withCString { readlink($0, &target, size) }
            let bytes = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            return .link(to: String(decoding: bytes, as: UTF8.self))
        default: return .other
        }
    }

    private static func content(of path: [UInt8]) -> Data? {
        let descriptor = (path + [0]).withCString { open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readDataToEndOfFile()
    }

    /// The paths that were added, removed or changed in `later`, in order.
    func changes(to later: DirectoryTree) -> [String] {
        Set(entries.keys).union(later.entries.keys).filter { entries[$0] != later.entries[$0] }.sorted()
    }
}

extension [UInt8] {
    /// Calls `body` with a pointer to the bytes and a final NUL.
    fileprivate func withCString<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try withUnsafeBytes { try body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
    }
}
