import Foundation
import Glibc

/// A file system in user space (`FileSystems/oddfs.py`) that lacks features of usual file systems, mounted on a directory.
enum OddDisk {
    /// Whether this user may mount one.
    static let isAllowed: Bool = {
        guard geteuid() == 0, Tool.python.isInstalled else { return false }
        let device = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard device >= 0 else { return false }
        defer { close(device) }
        let path = NSTemporaryDirectory() + "/ferry-odd-\(getpid())"
        guard mkdir(path, 0o700) == 0 else { return false }
        defer { rmdir(path) }
        guard mount("oddfs", path, "fuse", 0, "fd=\(device),rootmode=40000,user_id=0,group_id=0") == 0 else {
            return false
        }
        return umount2(path, Int32(MNT_DETACH)) == 0
    }()

    /// Mounts such a file system, runs `body` with its path, and unmounts it.
    static func run(
        _ traits: [String],
        in sandbox: Sandbox,
        _ body: (String) async throws -> Void
    ) async throws {
        let (disk, below) = (sandbox.root + "/odd", sandbox.root + "/below")
        for path in [disk, below] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let program = Repository.root + "/Tests/FerrySystemTests/FileSystems/oddfs.py"
        let process = try sandbox.launch(
            executable: try Tool.python.requiredPath(),
            [program, disk, below] + traits
        )
        defer { umount2(disk, Int32(MNT_DETACH)) }
        try await Deadline.wait(for: "the file system to be mounted", said: { process.errorsSoFar }) {
            device(of: disk) != device(of: below)
        }
        try await body(disk)
    }

    private static func device(of path: String) -> dev_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
    }
}
