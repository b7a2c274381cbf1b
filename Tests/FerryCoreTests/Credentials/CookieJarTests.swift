import FerryCore
import Testing

@Suite struct CookieJarTests {
    private static let now = Instant(seconds: 1_800_000_000)

    private func field(_ lines: [String], _ url: String) throws -> String? {
        let text = lines.map { $0.replacing(" ", with: "\t") }.joined(separator: "\n")
        return try CookieJar(parsing: text).field(for: HTTPURL(parsing: url), at: Self.now)
    }

    @Test(arguments: [
        ("example.org FALSE / FALSE 0 a 1", "https://example.org/x", "a=1"),
        ("example.org FALSE / FALSE 0 a 1", "https://www.example.org/x", nil),
        (".example.org TRUE / FALSE 0 a 1", "https://www.example.org/x", "a=1"),
        ("example.org TRUE / FALSE 0 a 1", "https://example.org/", "a=1"),
        ("example.org TRUE / FALSE 0 a 1", "https://badexample.org/", nil),
        ("Example.ORG TRUE / FALSE 0 a 1", "https://EXAMPLE.org/", "a=1"),
        ("1.2.3.4 TRUE / FALSE 0 a 1", "http://1.2.3.4/", "a=1"),
        ("2.3.4 TRUE / FALSE 0 a 1", "http://1.2.3.4/", nil),
        ("h FALSE /a FALSE 0 a 1", "https://h/a", "a=1"), ("h FALSE /a FALSE 0 a 1", "https://h/a/b", "a=1"),
        ("h FALSE /a FALSE 0 a 1", "https://h/ab", nil), ("h FALSE /a/ FALSE 0 a 1", "https://h/a/b", "a=1"),
        ("h FALSE /a FALSE 0 a 1", "https://h/", nil), ("h FALSE / TRUE 0 a 1", "http://h/", nil),
        ("h FALSE / TRUE 0 a 1", "https://h/", "a=1"), ("h FALSE / FALSE 1799999999 a 1", "https://h/", nil),
        ("h FALSE / FALSE 1800000000 a 1", "https://h/", nil),
        ("h FALSE / FALSE 1800000001 a 1", "https://h/", "a=1"),
        ("#HttpOnly_h FALSE / FALSE 0 a 1", "https://h/", "a=1"),
        ("h FALSE / FALSE 0 a ", "https://h/", "a="),
        ("h FALSE / FALSE 1900000000.5 a 1", "https://h/", "a=1"),
    ])
    func choosesByDomainPathSchemeAndTime(_ line: String, _ url: String, _ expected: String?) throws {
        #expect(try field([line], url) == expected)
    }

    @Test func putsLongerPathsFirstAndKeepsTheOrderOtherwise() throws {
        let lines = [
            "h FALSE / FALSE 0 a 1", "", "# a comment", "h FALSE /x FALSE 0 b 2", "h FALSE / FALSE 0 c 3",
        ]
        #expect(try field(lines, "https://h/x/y") == "b=2; a=1; c=3")
        #expect(try field(lines, "https://other/") == nil)
        #expect(try field([], "https://h/") == nil)
    }

    @Test(arguments: [
        "h FALSE / FALSE 0 a", "h FALSE / FALSE 0 a 1 2", "h YES / FALSE 0 a 1", "h FALSE / FALSE soon a 1",
        "nonsense",
        "h FALSE / FALSE 0 a 1\u{7}", "h FALSE / FALSE 0 a 1;b=2",
    ])
    func namesTheLineThatIsNoCookie(_ line: String) {
        #expect(throws: CookieJar.ParseError(line: 2)) { try field(["# one", line], "https://h/") }
    }

    /// A carriage return ends a line, so that none gets into a field.
    @Test func readsLinesThatEndAsOnWindows() throws {
        let text = "\u{FEFF}h\tFALSE\t/\tFALSE\t0\ta\t1\r\nh\tFALSE\t/\tFALSE\t0\tb\t2\r\n"
        #expect(
            try CookieJar(parsing: text).field(for: HTTPURL(parsing: "https://h/"), at: Self.now)
                == "a=1; b=2"
        )
    }

    @Test func takesTheLaterOfTwoLinesForTheSameCookie() throws {
        let lines = ["h FALSE / FALSE 0 a 1", "h FALSE / FALSE 0 b 2", "h FALSE / FALSE 0 a 3"]
        #expect(try field(lines, "https://h/") == "a=3; b=2")
    }

    @Test func writesWhatItReads() throws {
        let lines = [
            ".example.org TRUE / FALSE 0 a 1", "#HttpOnly_www.example.org FALSE /x TRUE 1900000000 b 2",
            "example.org FALSE / FALSE 1900000000 c \u{2028}caf\u{E9}=", "1.2.3.4 FALSE / FALSE 0  nameless",
            "::1 FALSE / FALSE 0 d ",
        ].map { $0.replacing(" ", with: "\t") }
        let over = "example.org FALSE / FALSE 1800000000 over 1".replacing(" ", with: "\t")
        let jar = try CookieJar(parsing: (lines + [over]).joined(separator: "\n"))
        let text = jar.text(at: Self.now)
        #expect(text.hasPrefix("# Netscape HTTP Cookie File\n"))
        #expect(text.hasSuffix("\n" + lines.joined(separator: "\n") + "\n"))
        #expect(try CookieJar(parsing: text).text(at: Self.now) == text)
        #expect(!text.contains("over"))
    }

    @Test func showsNoValue() throws {
        let jar = try CookieJar(parsing: "h FALSE / FALSE 0 a geheim".replacing(" ", with: "\t"))
        #expect(!"\(jar)".contains("geheim") && !String(reflecting: jar).contains("geheim"))
        #expect(!"\(CookieJar.ParseError(line: 3))".contains("geheim"))
        var shown = ""
        dump(jar, to: &shown)
        #expect(!shown.contains("geheim"))
    }
}
