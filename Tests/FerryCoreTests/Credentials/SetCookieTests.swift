import FerryCore
import Testing

/// Which cookies of servers are kept, and where they are sent (RFC 6265 §5.2 to §5.4).
@Suite struct SetCookieTests {
    private static let now = Instant(seconds: 1_800_000_000)

    /// A jar after answers, each of a URL with its `Set-Cookie` fields.
    private func jar(_ answers: [(String, [String])]) throws -> CookieJar {
        var jar = CookieJar()
        for (url, fields) in answers {
            _ = jar.store(fields, from: try HTTPURL(parsing: url), at: Self.now)
        }
        return jar
    }

    private func field(
        _ jar: CookieJar,
        _ url: String,
        after seconds: Int = 0
    ) throws -> String? {
        jar.field(for: try HTTPURL(parsing: url), at: Self.now.advanced(by: .seconds(seconds)))
    }

    @Test(
        arguments: [
            ("a=1", "a=1"), ("a = 1 ", "a=1"), ("\t a=1;", "a=1"), ("a=", "a="), ("a=b=c", "a=b=c"),
            ("a=\"x y\"", "a=\"x y\""), ("a=1; unknown; = ;;x=y", "a=1"), ("a=1;path", "a=1"),
            ("a=caf\u{E9}", "a=caf\u{E9}"), ("a=1; Expires=nonsense", "a=1"), ("a=1; Max-Age=soon", "a=1"),
            ("a=1; Max-Age=", "a=1"), ("a=1; Max-Age=-", "a=1"), ("a=1; Max-Age=+5", "a=1"),
            ("a=1; SameSite=Strict", "a=1"), ("a=1;\tHttpOnly", "a=1"), ("a=1; Domain=", "a=1"),
            ("a=1; Max-Age=99999999999999999999", "a=1"),
            ("", nil), ("a", nil), ("=1", nil), (" =1", nil), (";a=1", nil), ("a=1\u{1}", nil),
            ("a=1\u{7F}2", nil),
            ("a=1\t2", nil), ("a\t=1", "a=1"), ("a=1; Path=/\t/", nil), ("a=1; Max-Age=0", nil),
            ("a=1; Max-Age=-5", nil),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
            ("a=1; Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT", nil),
            ("a=1; Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=1"),
            ("a=1; Max-Age=0; max-age=5", "a=1"), ("a=1; Max-Age=0; max-age=later", nil),
        ] as [(String, String?)]
    )
    func readsAField(_ field: String, _ expected: String?) throws {
        #expect(try self.field(jar([("https://h.example/", [field])]), "https://h.example/") == expected)
    }

    @Test func bytesAreBounded() throws {
        let longest = String(repeating: "x", count: 4095)
        for (value, isKept) in [(longest, true), (longest + "x", false)] {
            let jar = try jar([("https://h/", ["a=\(value)"])])
            #expect(try field(jar, "https://h/") == (isKept ? "a=\(value)" : nil))
        }
        // A longer attribute counts as none.
        let path = String(repeating: "p", count: 1024)
        #expect(try field(jar([("https://h/", ["a=1; Path=/\(path)"])]), "https://h/") == "a=1")
        // So that a server cannot fill the jar with the paths of its URLs.
        for (length, isKept) in [(1023, true), (1024, false)] {
            let url = "https://h/\(path.prefix(length))/x"
            #expect(try field(jar([(url, ["a=1"])]), url) == (isKept ? "a=1" : nil))
            #expect(try field(jar([(url, ["a=1; Path=/"])]), url) == "a=1")
        }
    }

    @Test(
        arguments: [
            (nil, "www.example.org", true), (nil, "a.www.example.org", false), (nil, "example.org", false),
            ("example.org", "www.example.org", true), ("example.org", "example.org", true),
            ("example.org", "a.b.example.org", true), ("example.org", "badexample.org", false),
            (".example.org", "example.org", true), ("EXAMPLE.Org", "example.org", true),
            ("www.example.org", "a.www.example.org", true), ("www.example.org", "example.org", false),
            // It is refused, so not even the host itself has it.
            ("other.example", "www.example.org", false), ("other.example", "other.example", false),
            ("a.www.example.org", "a.www.example.org", false), ("org", "www.example.org", false),
            ("org", "other.org", false), (".org", "www.example.org", false),
            ("org.", "www.example.org", false),
            ("..example.org", "www.example.org", false), ("ample.org", "www.example.org", false),
            ("example.org.", "www.example.org", false), (".", "www.example.org", true),
        ] as [(String?, String, Bool)]
    )
    func aServerSetsCookiesOfItsOwnDomains(_ domain: String?, _ host: String, _ isSent: Bool) throws {
        let attribute = domain.map { "; Domain=\($0)" } ?? ""
        let jar = try jar([("https://www.example.org/", ["a=1\(attribute)"])])
        #expect(try field(jar, "https://\(host)/") == (isSent ? "a=1" : nil))
    }

    @Test(arguments: [
        ("http://1.2.3.4/", "1.2.3.4", "http://1.2.3.4:8080/", true),
        ("http://1.2.3.4/", "3.4", "http://1.2.3.4/", false),
        ("http://1.2.3.4/", "1.2.3.4", "http://9.1.2.3.4.example/", false),
        ("http://[::1]/", "::1", "http://[::1]/", true),
        ("http://localhost/", "localhost", "http://localhost/", true),
        ("http://localhost/", "localhost", "http://a.localhost/", false),
        ("http://a.localhost/", "localhost", "http://a.localhost/", false),
    ])
    func addressesAndSingleNamesHaveNoDomain(
        _ url: String,
        _ domain: String,
        _ other: String,
        _ isSent: Bool
    ) throws {
        let jar = try jar([(url, ["a=1; Domain=\(domain)"])])
        #expect(try field(jar, other) == (isSent ? "a=1" : nil))
    }

    @Test func theDefaultPathIsTheDirectory() throws {
        let jar = try jar([
            ("https://h/", ["root=1"]), ("https://h/x", ["top=1"]), ("https://h/d/x?q=/y/z", ["d=1"]),
            ("https://h/d/e/", ["e=1"]), ("https://h/d/x", ["any=1; Path=relative"]),
            ("https://h/d/x", ["f=1; Path=/f/"]),
        ])
        #expect(try field(jar, "https://h/") == "root=1; top=1")
        #expect(try field(jar, "https://h/d") == "d=1; any=1; root=1; top=1")
        #expect(try field(jar, "https://h/d/e/f") == "e=1; d=1; any=1; root=1; top=1")
        #expect(try field(jar, "https://h/f/") == "f=1; root=1; top=1")
        #expect(try field(jar, "https://h/f") == "root=1; top=1")
    }

    @Test(
        arguments: [
            ("http://h/", "a=1; Secure", nil, nil), ("https://h/", "a=1; Secure", "a=1", nil),
            ("http://h/", "a=1", "a=1", "a=1"), ("https://h/", "a=1", "a=1", "a=1"),
            ("https://h/", "__Secure-a=1; Secure", "__Secure-a=1", nil),
            ("https://h/", "__Secure-a=1", nil, nil),
            ("http://h/", "__Secure-a=1; Secure", nil, nil), ("https://h/", "__SECURE-a=1", nil, nil),
            ("https://h/x/y", "__Host-a=1; Secure; Path=/", "__Host-a=1", nil),
            ("https://h/", "__Host-a=1; Secure", nil, nil), ("https://h/", "__Host-a=1; Path=/", nil, nil),
            ("https://h/", "__host-a=1; Secure; Path=/; Domain=h", nil, nil),
            ("https://h/", "__Host-a=1; Secure; Path=/x", nil, nil),
            ("http://h/", "__Host-a=1; Path=/", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func secureCookiesComeAndGoByHTTPSOnly(
        _ url: String,
        _ field: String,
        _ secure: String?,
        _ plain: String?
    ) throws {
        let jar = try jar([(url, [field])])
        #expect(try self.field(jar, "https://h/") == secure)
        #expect(try self.field(jar, "http://h/") == plain)
    }

    @Test func whatComesInClearTakesNoSecureCookiesPlace() throws {
        let secure = ("https://a.h.example/x", ["s=1; Secure; Domain=h.example; Path=/x"])
        for (url, field) in [
            ("http://a.h.example/x", "s=2; Path=/x"),
            ("http://h.example/x", "s=2; Domain=h.example; Path=/x"),
            ("http://a.h.example/", "s=2; Path=/x/y"),
            ("http://a.h.example/x", "s=2; Path=/x; Max-Age=0; Domain=h.example"),
        ] {
            let jar = try jar([secure, (url, [field])])
            #expect(try self.field(jar, "https://a.h.example/x/y") == "s=1", "\(url) \(field)")
        }
        // Neither another path nor https is kept away.
        let other = try jar([secure, ("http://a.h.example/", ["s=2; Path=/"])])
        #expect(try field(other, "https://a.h.example/x") == "s=1; s=2")
        let later = try jar([secure, ("https://a.h.example/", ["s=2; Domain=h.example; Path=/x"])])
        #expect(try field(later, "http://h.example/x") == "s=2")
    }

    @Test func cookiesEndInTime() throws {
        let jar = try jar([
            (
                "https://h/",
                ["age=1; Max-Age=10", "date=1; Expires=Fri, 15 Jan 2027 08:00:05 GMT", "session=1"]
            )
        ])
        #expect(try field(jar, "https://h/", after: 4) == "age=1; date=1; session=1")
        #expect(try field(jar, "https://h/", after: 5) == "age=1; session=1")
        #expect(try field(jar, "https://h/", after: 9) == "age=1; session=1")
        #expect(try field(jar, "https://h/", after: 10) == "session=1")
        #expect(jar.text(at: Self.now).contains("h\tFALSE\t/\tFALSE\t1800000010\tage\t1\n"))
        #expect(jar.text(at: Self.now).contains("h\tFALSE\t/\tFALSE\t0\tsession\t1\n"))
    }

    @Test func aCookieIsReplacedInItsPlaceAndTellsWhetherThatChangesAnything() throws {
        var jar = CookieJar()
        let url = try HTTPURL(parsing: "https://h/x")
        for (fields, seconds, isChange, sent) in [
            (["a=1", "b=2; Max-Age=5"], 0, true, "a=1; b=2"),
            // Only the expiry is another.
            (["a=1", "b=2; Max-Age=9"], 1, false, "a=1; b=2"), ([], 9, false, "a=1; b=2"),
            (["a=3"], 9, true, "a=3; b=2"), (["a=4; Path=/x"], 9, true, "a=4; a=3; b=2"),
            (["b=; Max-Age=0"], 9, true, "a=4; a=3"), (["b=; Max-Age=0"], 9, false, "a=4; a=3"),
            (["nonsense"], 9, false, "a=4; a=3"), (["x=1; Domain=other.example"], 9, false, "a=4; a=3"),
            (["c=1; Max-Age=5"], 9, true, "a=4; a=3; c=1"),
            // It was over meanwhile.
            (["c=1; Max-Age=5"], 14, true, "a=4; a=3; c=1"), (["a=3; Secure"], 14, true, "a=4; a=3; c=1"),
        ] as [([String], Int, Bool, String)] {
            let isChanged = jar.store(fields, from: url, at: Self.now.advanced(by: .seconds(seconds)))
            #expect(isChanged == isChange, "\(fields)")
            #expect(try field(jar, "https://h/x", after: seconds) == sent, "\(fields)")
        }
    }

    @Test func theOldestMakeRoom() throws {
        var jar = CookieJar()
        let later = Self.now.advanced(by: .seconds(1))
        func store(_ fields: [String], on host: String, at now: Instant) throws {
            _ = jar.store(fields, from: try HTTPURL(parsing: "https://\(host)/"), at: now)
        }
        try store(["over=1; Max-Age=1"] + (1...49).map { "c\($0)=1" }, on: "h", at: Self.now)
        try store(["one=1"], on: "h", at: later)
        #expect(try field(jar, "https://h/", after: 1)?.hasPrefix("c1=1; ") == true, "one was over")
        try store(["two=1"], on: "h", at: later)
        let sent = try #require(try field(jar, "https://h/", after: 1))
        #expect(sent.hasPrefix("c2=1; ") && sent.hasSuffix("; one=1; two=1"))
        #expect(sent.split(separator: "; ").count == 50)
        for number in 0..<3100 { try store(["a=1"], on: "n\(number)", at: later) }
        #expect(try field(jar, "https://h/", after: 1) == nil)
        #expect(try field(jar, "https://n99/") == nil)
        #expect(try field(jar, "https://n100/") == "a=1")
        #expect(jar.text(at: later).split(separator: "\n").count == 3002)
    }

    @Test func theFieldOfARequestBelongsToItsHost() throws {
        var jar = CookieJar()
        jar.keep("a=1; b=2=3;; c; ", for: try HTTPURL(parsing: "https://h/x/y"), at: Self.now)
        #expect(try field(jar, "https://h/") == "a=1; b=2=3; c")
        #expect(try field(jar, "http://h/") == nil && field(jar, "https://www.h/") == nil)
        _ = jar.store(["a=; Max-Age=0; Path=/"], from: try HTTPURL(parsing: "https://h/"), at: Self.now)
        #expect(try field(jar, "https://h/x/y") == "b=2=3; c")
    }

    @Test func objectsHaveNoCookies() throws {
        let object = try HTTPURL(parsing: "s3://bucket/key")
        #expect(try self.jar([("s3://bucket/key", ["a=1"])]).isEmpty)
        let jar = try jar([("https://bucket/", ["a=1"])])
        #expect(jar.field(for: object, at: Self.now) == nil)
    }
}
