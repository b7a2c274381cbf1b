#if os(Linux)
import FerryCore
import Foundation
import Testing

@testable import FerrySQLite

/// A store that is made on a disk that fills up while it is made: a tiny file system in memory, for which a user
/// must be allowed to mount one.
@Suite(.serialized, .enabled(if: TinyMount.isAllowed, "this user may not mount a file system"))
struct StoreBirthTests {
    @Test(arguments: [100, 116, 120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 176])
    func aDiskThatFillsWhileTheStoreIsMadeLeavesNothingThatMustBeRefused(kibibytes: Int) async throws {
        let mountPoint = try TemporaryDirectory()
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
        try TinyMount.run("mount", "-o", "remount,size=16m", mountPoint.path)
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
            let directory = try TemporaryDirectory()
            try mount(directory.path, kibibytes: 64)
            unmount(directory.path)
            return true
        } catch {
            return false
        }
    }()

    static func mount(_ path: String, kibibytes: Int) throws {
        try run("mount", "-t", "tmpfs", "-o", "size=\(kibibytes)k", "none", path)
    }

    /// Takes it out of the tree at once, even while a descriptor is still being closed.
    static func unmount(_ path: String) {
        do {
            try run("umount", "--lazy", path)
        } catch {
            Issue.record("\(path) is still mounted")
        }
    }

    struct Refused: Error {}

    static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Refused() }
    }
}
#endif
