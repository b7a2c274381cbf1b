import FerryCore
import FerryTesting
import Testing

struct HTTPURLParsingTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://Example.COM:443/A?B#C", "https://example.com/A?B#C"),
        ("http://example.com:80", "http://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com:/x", "http://example.com/x"),
        ("http://example.com:008080/x", "http://example.com:8080/x"),
        ("  https://example.com/x\t", "https://example.com/x"),
        ("https://example.com?q=1", "https://example.com/?q=1"),
        ("https://example.com/?", "https://example.com/?"),
        ("https://example.com/a b/ü?x=é y#ö", "https://example.com/a%20b/%C3%BC?x=%C3%A9%20y#%C3%B6"),
        ("https://example.com/100%.txt", "https://example.com/100%.txt"),
        ("https://example.com/a%2Fb%zz", "https://example.com/a%2Fb%zz"),
        ("https://example.com/a\\b|c", "https://example.com/a%5Cb%7Cc"),
        ("https://example.com/?a[]=1", "https://example.com/?a[]=1"),
        ("https://example.com/a/../../b/./c/.", "https://example.com/b/c/"),
        ("https://example.com/a//../b", "https://example.com/a/b"),
        ("https://[2001:DB8:0:0::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("http://[::FFFF:1.2.3.4]/", "http://[::ffff:102:304]/"),
        ("http://127.0.0.1:9/x", "http://127.0.0.1:9/x"),
        ("http://a_b.example./", "http://a_b.example./"),
        ("https://u:p@example.com/", "https://u:p@example.com/"),
        ("https://u@example.com/", "https://u@example.com/"),
        ("https://@example.com/", "https://example.com/"),
        ("https://:p@example.com/", "https://:p@example.com/"),
        ("https://u:p@q:r@example.com/", "https://u:p%40q:r@example.com/"),
    ])
    func normalises(text: String, expected: String) throws {
        #expect(try HTTPURL(parsing: text).absoluteString == expected)
        #expect(try HTTPURL(typed: text).absoluteString == expected)
    }

    @Test(
        "a host with a path is taken for https if it was typed",
        arguments: [
            ("example.com/x", "https://example.com/x"), (" example.com/ ", "https://example.com/"),
            ("example.com:8080/x?a=b", "https://example.com:8080/x?a=b"),
            ("localhost/x", "https://localhost/x"),
            ("u:p@example.com/", "https://u:p@example.com/"), ("127.0.0.1:9/x", "https://127.0.0.1:9/x"),
        ]
    )
    func typed(text: String, expected: String) throws {
        #expect(try HTTPURL(typed: text).absoluteString == expected)
    }

    @Test(
        "any other text without a scheme is not",
        arguments: [
            "example.com", "file.iso", "dir/file.iso", "./a.b/c", "../a.b", "/a.b/c", "//example.com/x",
            "~/a.b",
            "https/example.com/x", "localhost:8080", "u:p@example.com", "mailto:a@example.com/x",
        ]
    )
    func notTyped(text: String) {
        #expect(throws: HTTPURL.ParseError.self) { try HTTPURL(typed: text) }
    }

    @Test(
        "a wrong port is told of a host with a path, and not of a name",
        arguments: [
            ("example.com:99999/x", .invalidPort), ("u:p@example.com:0/x", .invalidPort),
            ("localhost:65536/", .invalidPort), ("127.0.0.1:70000/x", .invalidPort),
            ("a.b:c/99999", .missingScheme(suggestion: nil)),
            ("./a:99999/b", .missingScheme(suggestion: nil)),
            ("file:99999/b", .missingScheme(suggestion: nil)),
            ("example.com:99999", .missingScheme(suggestion: nil)),
        ] as [(String, HTTPURL.ParseError)]
    )
    func wrongPortOfWhatWasTyped(text: String, error: HTTPURL.ParseError) {
        #expect(throws: error) { try HTTPURL(typed: text) }
    }

    @Test(arguments: [
        ("", HTTPURL.ParseError.empty),
        ("   ", .empty),
        ("example.com/x", .missingScheme(suggestion: "https://example.com/x")),
        ("example.com:8080/x", .missingScheme(suggestion: "https://example.com:8080/x")),
        ("localhost:8080", .missingScheme(suggestion: "https://localhost:8080/")),
        ("//example.com/x", .missingScheme(suggestion: "https://example.com/x")),
        ("https//u:geheim@example.com/x", .missingScheme(suggestion: "https://example.com/x")),
        ("http/u:geheim@example.com/x", .missingScheme(suggestion: "http://example.com/x")),
        ("geheim:p@example.com", .missingScheme(suggestion: "https://example.com/")),
        ("mailto:a@example.com", .unsupportedScheme("mailto")),
        ("example.com/x?token=geheim#y", .missingScheme(suggestion: "https://example.com/x?token=…")),
        ("1u:geheim@example.com/", .missingScheme(suggestion: "https://example.com/")),
        ("ftp://example.com/", .unsupportedScheme("ftp")),
        ("file:///etc/passwd", .unsupportedScheme("file")),
        ("javascript:alert(1)", .unsupportedScheme("javascript")),
        ("geheim:x", .unsupportedScheme(nil)), ("geheim://x/", .unsupportedScheme(nil)),
        ("htp://example.com/x", .misspelledScheme(suggestion: "http://example.com/x")),
        ("HTPS://u:geheim@example.com/", .misspelledScheme(suggestion: "https://example.com/")),
        ("ttps://example.com/", .misspelledScheme(suggestion: "https://example.com/")),
        ("htttp://", .unsupportedScheme(nil)), ("htp:geheim", .unsupportedScheme(nil)),
        ("http:/example.com", .missingHost),
        ("https:example.com", .missingHost),
        ("http://", .missingHost),
        ("http:///x", .missingHost),
        ("http://u:p@/x", .missingHost),
        ("http://:80/", .missingHost),
        ("http://ex ample.com/", .invalidHost),
        ("http://example..com/", .invalidHost),
        ("http://.example.com/", .invalidHost),
        ("http://./", .invalidHost),
        ("http://ex%61mple.com/", .invalidHost),
        ("http://example.com\\@evil.example/", .invalidHost),
        ("http://[::1/", .invalidHost),
        ("http://[::1]x/", .invalidHost),
        ("http://[127.0.0.1]/", .invalidHost),
        ("http://[fe80::1%25eth0]/", .invalidHost),
        ("http://[1::2::3]/", .invalidHost),
        ("http://bücher.example/", .nonASCIIHost),
        ("http://\u{212A}.example/", .nonASCIIHost),
        ("http://example.com:0/", .invalidPort),
        ("http://example.com:65536/", .invalidPort),
        ("http://example.com:-1/", .invalidPort),
        ("http://example.com:99999999999999999999999/", .invalidPort),
        ("http://user:p/ss@example.com/", .invalidPort),
        ("http://example.com/\r\nX: y", .controlCharacter),
        ("http://example.com/\0", .controlCharacter),
        ("http://exam\tple.com/", .controlCharacter),
        ("http://u%0D%0A:p@example.com/", .invalidUserinfo),
    ])
    func refusesWithReason(text: String, reason: HTTPURL.ParseError) {
        #expect(throws: reason) { try HTTPURL(parsing: text) }
        #expect(!reason.description.contains("geheim"))
    }

    @Test func refusesOverlongText() throws {
        let prefix = "https://example.com/"
        let longest = prefix + String(repeating: "a", count: HTTPURL.lengthLimit - prefix.utf8.count)
        #expect(try HTTPURL(parsing: longest).absoluteString == longest)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL(parsing: longest + "a") }
        // An escape takes three bytes where a quote took one: the URL could be stored, but not be read again.
        let escaped = String(longest.dropLast(3)) + "\""
        #expect(try HTTPURL(parsing: escaped).absoluteString.utf8.count == HTTPURL.lengthLimit)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL(parsing: escaped + "a") }
    }

    @Test func splitsIntoParts() throws {
        let url = try HTTPURL(parsing: "https://us%40er:p%3Aw@Example.com:8443/a/b%20c?d=e#f")
        #expect(url.scheme == .https)
        #expect(url.user == "us@er")
        #expect(url.password == "p:w")
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.effectivePort == 8443)
        #expect(url.path == "/a/b%20c")
        #expect(url.query == "d=e")
        #expect(url.fragment == "f")
        #expect(url.requestTarget == "/a/b%20c?d=e")
        #expect(url.origin.description == "https://example.com:8443")
        #expect(url.hostAndPort == "example.com:8443")
        #expect(url.withoutUserinfo.absoluteString == "https://example.com:8443/a/b%20c?d=e#f")
        #expect(url.withoutFragment.fragment == nil)
        #expect(url.withoutFragment.user == "us@er")
        #expect(url.lastPathSegment == "b c")
    }

    @Test func originIgnoresHowItIsWritten() throws {
        let one = try HTTPURL(parsing: "https://EXAMPLE.com:443/a").origin
        let other = try HTTPURL(parsing: "https://u:p@example.com/b?c").origin
        #expect(one == other)
        #expect(
            try HTTPURL(parsing: "http://[0:0::1]/").origin == HTTPURL(parsing: "http://[::1]:80/").origin
        )
        #expect(try HTTPURL(parsing: "http://[::1]/").origin.description == "http://[::1]:80")
        #expect(try HTTPURL(parsing: "http://example.com/").origin != one)
    }

    @Test(
        arguments: [
            ("https://h/", nil), ("https://h/a/", nil), ("https://h/a", "a"), ("https://h/a%2Fb", "a/b"),
            ("https://h/%FF", "%FF"), ("https://h/%C3%BC", "ü"), ("https://h/a%00", "a\0"),
        ] as [(String, String?)]
    )
    func decodesLastPathSegment(text: String, segment: String?) throws {
        #expect(try HTTPURL(parsing: text).lastPathSegment == segment)
    }

    @Test func parsingItsOwnStringChangesNothing() {
        let alphabet =
            SeededRandom.soup + [
                "http://", "https://", "h", "example.com", "[::1]", ":80", "u:p@", "/../", "/./",
            ]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let tail = random.text(from: alphabet, length: 8)
            for text in [tail, "https://example.com/" + tail] {
                guard let url = try? HTTPURL(parsing: text) else { continue }
                let whole = url.absoluteString
                #expect(whole.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "seed \(seed)")
                #expect(url.path.hasPrefix("/"), "seed \(seed)")
                #expect((try? HTTPURL(parsing: whole)) == url, "seed \(seed): \(text.debugDescription)")
            }
        }
    }
}
