import Testing

@testable import FerryCore

/// Most paths are recognised as plain by their bytes. This never shows more than the masks leave.
struct ShownPathTests {
    private static let segments = [
        "", "a", "files", "41.bin", "page-0041.jpg", "debian-12_amd64.iso", "~user", "token", "TOKEN",
        "access-token",
        "access_token", "keys", "key1", "auth", "login", "notes.txt", "geheim", "eyJhbGciOiJIUzI1NiJ9", "a:b",
        "1:abcdefghijklmnop",
        "u@h", "%74oken", "a;b=c", "a=b", "x&y", "a,b", "https:", "\u{2026}",
    ]

    @Test func aPlainPathHasNoMasks() {
        for first in Self.segments {
            for second in Self.segments {
                for third in ["", "x", "geheim1", "notes.txt"] {
                    let path = "/\(first)/\(second)/\(third)"
                    guard ShownPath.isPlain(path) else { continue }
                    #expect(ShownPath.masked(path) == path, "\(path)")
                }
            }
        }
    }

    @Test(arguments: ["/", "/files/41.bin", "/pub/linux/debian-12_amd64.iso", "//a/~b/", "/keyboards/1"])
    func theNamesOfMostFilesArePlain(path: String) { #expect(ShownPath.isPlain(path)) }

    @Test(arguments: ["/token/x", "/a/eyJhbGciOiJIUzI1NiJ9", "/bot1:x", "/a%2Fb", "/a;v=1", "/access-token"])
    func othersAreLookedAt(path: String) { #expect(!ShownPath.isPlain(path)) }
}
