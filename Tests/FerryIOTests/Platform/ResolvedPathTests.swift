import Testing

@testable import FerryIO

#if os(Linux)
@Suite("A path without symbolic links")
struct ResolvedPathTests {
    @Test(
        arguments: [
            ("/", "/"), ("/proc/", "/proc"), ("/proc/./sys", "/proc/sys"), ("/proc/sys/..", "/proc"),
            // A link to `/`.
            ("/proc/self/root/proc", "/proc"),
            // Directories that do not exist yet.
            ("/proc/self/root/missing/too", "/missing/too"), ("/missing/../too/", "/too"),
            ("missing", "missing"), ("", ""),
        ]
    )
    func followsWhatExists(path: String, expected: String) {
        #expect(ResolvedPath.of(path) == expected)
    }
}
#endif
