import Ferry
import Foundation
import Glibc
import Testing

@testable import FerryFrontend

/// Whether the directory of a mirror is that of the disk below its own.
@Suite struct MirrorDiskTests {
    private static let disk = MirrorDisk(device: 1, noted: Instant(milliseconds: 5))

    @Test(
        "the disk is not mounted only if an older, empty directory of another device is in the place",
        arguments: [
            (9, 4_999_999, true, true), (9, 1, true, true), (9, 5_000_000, true, false),
            (9, .max, true, false), (9, 0, true, false), (9, -1, true, false), (9, 4_999_999, false, false),
            (1, 4_999_999, true, false),
        ] as [(UInt64, Int64, Bool, Bool)]
    )
    func isUnmounted(device: UInt64, modified: Int64, isEmpty: Bool, _ expected: Bool) {
        for isAbove in [true, false] {
            let found = MirrorDisk.Found(
                isAbove: isAbove,
                device: device,
                modified: modified,
                isEmpty: isEmpty
            )
            #expect(Self.disk.isUnmounted(found) == expected)
        }
    }

    @Test func anEmptyOrMissingDirectoryIsNotedAsNoDisk() throws {
        let base = NSTemporaryDirectory() + "/ferry-mirror-disk-\(UUID().uuidString)"
        let files = FileManager.default
        try files.createDirectory(atPath: base, withIntermediateDirectories: false)
        defer { _ = try? files.removeItem(atPath: base) }
        let folder = MirrorFolder(root: base + "/copy")
        let now = Instant(milliseconds: 1)
        let above = try #require(folder.found())
        #expect(above.isAbove && above.isEmpty && folder.disk(at: now) == nil)
        _ = try folder.make()
        let empty = try #require(folder.found())
        #expect(!empty.isAbove && empty.isEmpty && folder.disk(at: now) == nil)
        try Data().write(to: URL(fileURLWithPath: folder.root + "/.hidden"))
        #expect(folder.disk(at: now) == MirrorDisk(device: empty.device, noted: now))
        #expect(MirrorFolder(root: base + "/no/copy").found() == nil)
    }

    @Test func aTimeThatNoNumberOfNanosecondsHasIsUnknown() throws {
        let base = NSTemporaryDirectory() + "/ferry-mirror-time-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: false)
        defer { _ = try? FileManager.default.removeItem(atPath: base) }
        let path = base + "/future"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        // The year 2400. A file system that cannot store it stores its own latest time.
        let time = timespec(tv_sec: 13_569_465_600, tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        var status = stat()
        try #require(stat(path, &status) == 0)
        let entries = try MirrorFolder(root: base).entries(at: ["future"])
        let entry = try #require(entries[0])
        #expect(entry.kind == .file)
        #expect((entry.modified == nil) == (status.st_mtim.tv_sec > Int.max / 1_000_000_000))
    }
}
