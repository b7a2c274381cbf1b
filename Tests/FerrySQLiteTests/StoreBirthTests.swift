#if os(Linux)
import FerryCore
import Glibc
import Testing

@testable import FerrySQLite
import FerryTesting

/// A store that is made on a disk that fills up while it is made: a tiny file system in memory, for which a user
/// must be allowed to mount one.
@Suite(.serialized, .enabled(if: TinyMount.isAllowed, "this user may not mount a file system"))
struct StoreBirthTests {
    @Test(arguments: [100, 116, 120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 176])
    func aDiskThatFillsWhileTheStoreIsMadeLeavesNothingThatMustBeRefused(kibibytes: Int) async throws {
        let mountPoint = try StoreDirectory()
        try TinyMount.mount(mountPoint.path, kibibytes: kibibytes)
        defer { TinyMount.unmount(mountPoint.path) }
        let path = mountPoint.path + "/data"
        do throws(StoreError) {
            try await SQLiteTransferStore.open(directory: path).close()
        } catch {
            guard case .writeFailed = error else {
                Issue.record("\(error)")
                return
            }
        }
        try TinyMount.resize(mountPoint.path, kibibytes: 16 << 10)
        let store = try await SQLiteTransferStore.open(directory: path)
        #expect(try await store.verify() == [])
        #expect(try await store.add([newTransfer("a")], holder: nil, at: now).count == 1)
        await store.close()
    }
}

/// File systems in memory, of a few kibibytes.
private enum TinyMount {
    static let isAllowed: Bool = {
        do {
            let directory = try StoreDirectory()
            try mount(directory.path, kibibytes: 64)
            unmount(directory.path)
            return true
        } catch {
            return false
        }
    }()

    static func mount(_ path: String, kibibytes: Int) throws {
        guard Glibc.mount("none", path, "tmpfs", 0, "size=\(kibibytes)k") == 0 else { throw Refused() }
    }

    /// Gives one that is mounted another size.
    static func resize(_ path: String, kibibytes: Int) throws {
        let remount = UInt(MS_REMOUNT)
        guard Glibc.mount("none", path, "tmpfs", remount, "size=\(kibibytes)k") == 0 else { throw Refused() }
    }

    /// Takes it out of the tree at once, even while a descriptor is still being closed.
    static func unmount(_ path: String) {
        if umount2(path, Int32(MNT_DETACH)) != 0 { Issue.record("\(path) is still mounted") }
    }

    struct Refused: Error {}
}
#endif
