import Testing

@testable import FerryIO

#if os(Linux)
@Suite("The mount point of a directory")
struct MountPointTests {
    @Test(
        arguments: [
            ("/", nil), ("/proc", "/proc"), ("/proc/", "/proc"), ("/proc/sys/kernel", "/proc"),
            // A link, and directories that do not exist.
            ("/proc/self", "/proc"), ("/proc/missing/too", "/proc"), ("/missing", nil), ("proc", nil),
            ("", nil),
        ] as [(String, String?)]
    )
    func isThatOfItsFileSystem(directory: String, expected: String?) {
        #expect(MountPoint.of(directory) == expected)
    }

    @Test func theDeviceOfAMissingFileIsThatOfTheNearestDirectory() throws {
        let proc = try #require(MountPoint.device(above: "/proc/missing"))
        #expect(MountPoint.device(above: "/proc/missing/too") == proc)
        let root = try #require(MountPoint.device(above: "/missing/too"))
        #expect(root != proc && MountPoint.device(above: "/missing") == root)
        #expect(MountPoint.device(above: "missing") == nil && MountPoint.device(above: "/") == nil)
    }
}
#endif
