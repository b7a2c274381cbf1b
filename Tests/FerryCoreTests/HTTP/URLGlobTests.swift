import FerryCore
import Testing

@Suite("Globs in URLs")
struct URLGlobTests {
    private func texts(_ text: String) throws -> [String] {
        let glob = try URLGlob(parsing: text)
        return (0..<glob.count).map { glob[$0] }
    }

    @Test("alternatives and sequences stand for each of their texts, the last one changing first")
    func expands() throws {
        #expect(
            try texts("http://h/{a,b}/[8-10].x")
                == ["a/8", "a/9", "a/10", "b/8", "b/9", "b/10"].map { "http://h/\($0).x" }
        )
        #expect(try texts("[008-10]") == ["008", "009", "010"])
        #expect(try texts("[0-2]") == ["0", "1", "2"])
        #expect(try texts("[0-90:40]") == ["0", "40", "80"])
        #expect(try texts("[a-e:2][X-Y]") == ["aX", "aY", "cX", "cY", "eX", "eY"])
        #expect(try texts("x{,y,}") == ["x", "xy", "x"])
        #expect(try texts("é{ü}") == ["éü"])
        #expect(try texts("[7-7]") == ["7"] && texts("[a-a:99]") == ["a"])
    }

    @Test(
        "what is no glob stays as it is",
        arguments: [
            ("", ""), ("http://h/x?a=b#c", "http://h/x?a=b#c"), ("http://[::1]:80/x", "http://[::1]:80/x"),
            ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"), ("http://h/x[]=1", "http://h/x[]=1"),
            (#"http://h/\[1-2\]\{a\}"#, "http://h/[1-2]{a}"), (#"http://h/\d\"#, #"http://h/\d\"#),
            ("}]", "}]"),
        ]
    )
    func keeps(text: String, expected: String) throws {
        #expect(try texts(text) == [expected])
    }

    @Test(
        "what is not closed, or no sequence, is refused",
        arguments: [
            ("{a", URLGlob.Flaw.unclosed("{")), ("{a{b}}", .unclosed("{")), ("[1-2", .unclosed("[")),
            ("{a,[1-2]}", .unclosed("{")), ("[1]", .sequence), ("[a-9]", .sequence), ("[3-1]", .sequence),
            ("[a-Z]", .sequence), ("[b-a]", .sequence), ("[1-9:0]", .sequence), ("[1-9:x]", .sequence),
            ("[1-9:1:1]", .sequence), ("[-1-2]", .sequence), ("[1-9999999999999999999]", .sequence),
            ("[1-100001]", .tooMany), ("[1-1001][1-100]", .tooMany),
            ("[1-999999999999999999][1-999999999999999999]", .tooMany),
        ]
    )
    func refuses(text: String, flaw: URLGlob.Flaw) {
        #expect(throws: flaw) { try URLGlob(parsing: text) }
    }

    @Test("as many as are allowed")
    func most() throws {
        let glob = try URLGlob(parsing: "[000001-1000][1-100]")
        #expect(glob.count == URLGlob.most && glob[99_999] == "001000100")
    }
}
