import Testing

@testable import FerryIO

/// The control groups that can limit the threads of a process.
@Suite("Control groups of threads")
struct LinuxThreadRoomTests {
    @Test(
        "the group of a process and its parents are read from /proc/self/cgroup",
        arguments: [
            ("0::/user.slice/a:b.scope\n", ["user.slice", "user.slice/a:b.scope"]),
            ("0::/\n", []),
            ("9:name=systemd:/a\n8:pids:/a/b\n0::/c\n", ["pids/a", "pids/a/b"]),
            ("8:misc,pids:/a\n0::/\n", ["pids/a"]),
            ("8:pids:/\n0::/c\n", []),
            ("9:cpu:/a\n0::/b\n", ["b"]),
            ("9:cpu:/a\n", nil),
            // A line that was cut off.
            ("9:cpu:/a\n8:pids:/a/b", nil),
            ("", nil),
        ] as [(String, [String]?)]
    )
    func directories(_ text: String, _ expected: [String]?) {
        #expect(LinuxThreadRoom.directories(in: Array(text.utf8)) == expected)
    }
}
