import FerryCore
import FerryTesting
import Testing

struct HTTPURLResolvingTests {
    /// The tables of RFC 3986 §5.4.1 and §5.4.2, but for the references that leave HTTP.
    @Test(arguments: [
        ("//g", "http://g/"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
        ("../../../g", "http://a/g"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."),
        (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."),
        ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"),
        ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
        ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"),
    ])
    func followsTheTablesOfRFC3986(reference: String, expected: String) throws {
        let base = try HTTPURL(parsing: "http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).absoluteString == expected)
    }

    @Test(arguments: [
        ("g:h", HTTPURL.ParseError.unsupportedScheme(nil)),
        ("http:g", .missingHost),
        ("file:///etc/passwd", .unsupportedScheme("file")),
        ("data:text/html,x", .unsupportedScheme("data")),
        ("javascript:alert(1)", .unsupportedScheme("javascript")),
        ("//", .missingHost),
        ("https://", .missingHost),
        ("/x\r\nSet-Cookie: a", .controlCharacter),
        ("/x\n", .controlCharacter),
        ("//ex ample/", .invalidHost),
        ("//[::1/", .invalidHost),
        ("https://bücher.example/", .nonASCIIHost),
    ])
    func refusesWhatLeavesHTTP(reference: String, reason: HTTPURL.ParseError) throws {
        let base = try HTTPURL(parsing: "http://a/b")
        #expect(throws: reason) { try base.resolving(reference) }
    }

    @Test(arguments: [
        ("x", "https://u:p@a/x#f"),
        ("x#g", "https://u:p@a/x#g"),
        ("", "https://u:p@a/b?q#f"),
        ("//c/x", "https://c/x#f"),
        ("http://c/x", "http://c/x#f"),
        ("http://v:w@c/x#", "http://v:w@c/x#"),
        ("ä ö", "https://u:p@a/%C3%A4%20%C3%B6#f"),
    ])
    func inheritsFragmentAndAuthority(reference: String, expected: String) throws {
        let base = try HTTPURL(parsing: "https://u:p@a/b?q#f")
        #expect(try base.resolving(reference).absoluteString == expected)
    }

    @Test func refusesWhatWouldBeTooLongToBeReadAgain() throws {
        let half = String(repeating: "a", count: HTTPURL.lengthLimit / 2)
        let base = try HTTPURL(parsing: "https://h/\(half)/#\(half.dropLast(13))")
        #expect(base.absoluteString.utf8.count == HTTPURL.lengthLimit - 1)
        #expect(try base.resolving("b").absoluteString.utf8.count == HTTPURL.lengthLimit)
        for reference in ["bc", "\u{FC}", "https://longer/\(half)", "//longer/\(half)"] {
            #expect(throws: HTTPURL.ParseError.tooLong, "\(reference.prefix(9))") {
                try base.resolving(reference)
            }
        }
    }

    @Test func resolvesDeepDotSegmentsInLinearTime() throws {
        let base = try HTTPURL(parsing: "https://a/")
        let up = String(repeating: "x/../", count: 12_000)
        #expect(try base.resolving(up + "y").absoluteString == "https://a/y")
    }

    @Test func anythingResolvesToAValidURLOrIsRefused() throws {
        let base = try HTTPURL(parsing: "https://u:p@example.com:8443/a/b?q#f")
        let alphabet = SeededRandom.soup + ["http:", "https://", "../", "./", "//", "b.example"]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let reference = random.text(from: alphabet, length: 8)
            guard let url = try? base.resolving(reference) else { continue }
            #expect((try? HTTPURL(parsing: url.absoluteString)) == url, "seed \(seed)")
            #expect(!url.path.split(separator: "/").contains(".."), "seed \(seed)")
            #expect(url.origin == base.origin || url.user != "u", "seed \(seed)")
        }
    }

    @Test(
        "parameters are put behind the query",
        arguments: [
            ("https://h/p", "https://h/p?a=1&b"), ("https://h/p?", "https://h/p?a=1&b"),
            ("https://h/p?x=1#f", "https://h/p?x=1&a=1&b#f"),
        ]
    )
    func parametersAreAppended(_ url: String, _ expected: String) throws {
        #expect(try HTTPURL(parsing: url).appending(query: "a=1&b").absoluteString == expected)
    }

    @Test("a URL that becomes too long is refused")
    func appendedParametersHaveALimit() throws {
        let url = try HTTPURL(parsing: "https://h/p")
        #expect(throws: HTTPURL.ParseError.tooLong) {
            try url.appending(query: String(repeating: "a", count: HTTPURL.lengthLimit))
        }
    }
}
