import Testing

@testable import FerryUploads

/// Patterns of keys.
struct KeyPatternTests {
    @Test(arguments: [
        ("logs/*", "logs/", ["logs/", "logs/a", "logs/a/b"], ["logs", "log/a"]),
        ("a*b*c", "a", ["abc", "axbxc", "abbcbc"], ["ab", "acb", "abcd"]),
        ("*.gz", "", [".gz", "a/b.gz", "a.gz.gz"], ["a.gzip", "gz"]),
        ("**", "", ["", "a"], []),
        ("?", "", ["a", "é", "日", "*"], ["", "ab"]),
        ("d-[0-9][0-9]", "d-", ["d-01", "d-99"], ["d-1", "d-0a", "d-001"]),
        ("[!a-c]x", "", ["dx", "-x"], ["ax", "cx", "x"]),
        ("[^a]", "", ["b"], ["a"]),
        ("a[*]b[?]*", "a", ["a*b?", "a*b?c"], ["aXb?", "a*bX"]),
        ("[]]", "", ["]"], ["", "["]),
        ("[a-]*", "", ["a", "-x"], ["b"]),
        ("[z-a]*", "", ["z", "-", "a"], ["m"]),
        ("x[*", "x[", ["x[", "x[y"], ["x"]),
    ])
    func whatMatches(_ text: String, _ prefix: String, _ yes: [String], _ no: [String]) throws {
        let pattern = try #require(KeyPattern(text))
        #expect(pattern.literalPrefix == prefix)
        for key in yes { #expect(pattern.matches(key), "\(key)") }
        for key in no { #expect(!pattern.matches(key), "\(key)") }
    }

    @Test(arguments: ["", "a", "a/b.c", "a[b", "[", "[]", "[!", "a]", "{a,b}", "\\"])
    func aPlainKeyIsNoPattern(_ text: String) {
        #expect(KeyPattern(text) == nil)
    }

    @Test func aLongPatternAgainstALongKeyEnds() throws {
        let pattern = try #require(KeyPattern(String(repeating: "a*", count: 400) + "b"))
        #expect(!pattern.matches(String(repeating: "a", count: 1024)))
    }
}
