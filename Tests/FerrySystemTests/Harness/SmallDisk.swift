import Foundation
import Glibc

/// A file system of a few mebibytes, in memory.
final class SmallDisk: Sendable {
    let path: String

    /// Whether this user may mount one.
    static let isAllowed: Bool = {
        guard geteuid() == 0 else { return false }
        let path = NSTemporaryDirectory() + "/ferry-disk-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { return false }
        defer { rmdir(path) }
        guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else { return false }
        return umount2(path, Int32(MNT_DETACH)) == 0
    }()

    private init(path: String, kibibytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        guard mount("tmpfs", path, "tmpfs", 0, "size=\(kibibytes)k") == 0 else {
            throw FreePort.NoPort(errno: errno)
        }
    }

    /// Mounts a disk at `path`, runs `body` with it, and unmounts it.
    static func run(
        at path: String,
        kibibytes: Int,
        _ body: (SmallDisk) async throws -> Void
    ) async throws {
        let disk = try SmallDisk(path: path, kibibytes: kibibytes)
        defer { umount2(path, Int32(MNT_DETACH)) }
        try await body(disk)
    }

    /// Unmounts it while `body` runs, and mounts it again with its files.
    ///
    /// - Parameter lazily: whether it may be in use. Open files stay usable then (`umount -l`).
    func whileUnmounted(lazily: Bool = false, _ body: () async throws -> Void) async throws {
        // A file system in memory must stay mounted somewhere to keep its files.
        let shelter = path + ".shelter"
        try FileManager.default.createDirectory(atPath: shelter, withIntermediateDirectories: false)
        defer { rmdir(shelter) }
        guard mount(path, shelter, nil, UInt(MS_BIND), nil) == 0 else { throw FreePort.NoPort(errno: errno) }
        defer { umount2(shelter, Int32(MNT_DETACH)) }
        guard umount2(path, lazily ? Int32(MNT_DETACH) : 0) == 0 else { throw FreePort.NoPort(errno: errno) }
        try await body()
        guard mount(shelter, path, nil, UInt(MS_BIND), nil) == 0 else {
            throw FreePort.NoPort(errno: errno)
        }
    }

    /// Makes it read-only, or writable again.
    func makeReadOnly(_ isReadOnly: Bool) throws {
        let flags = UInt(MS_REMOUNT) | (isReadOnly ? UInt(MS_RDONLY) : 0)
        guard mount("tmpfs", path, "tmpfs", flags, nil) == 0 else { throw FreePort.NoPort(errno: errno) }
    }

    /// Changes its size and keeps its files.
    func resize(kibibytes: Int) throws {
        guard mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=\(kibibytes)k") == 0 else {
            throw FreePort.NoPort(errno: errno)
        }
    }
}
