import FerryCore
import FerryTesting
import HTTPTypes
import Testing

struct RedirectRulesTests {
    private static func follow(
        _ status: Int = 302,
        _ location: String?,
        from current: String = "https://u:geheim@a.example/x?y#f",
        method: HTTPRequest.Method = .get,
        hops: [String] = [],
        mayRepeat repeatable: Int = 0,
        rules: RedirectRules = RedirectRules()
    ) throws -> RedirectRules.Outcome {
        rules.follow(
            status: status,
            location: location,
            from: try HTTPURL(parsing: current),
            method: method,
            hops: try hops.map { try HTTPURL(parsing: $0) },
            mayRepeat: repeatable
        )
    }

    @Test(arguments: [200, 206, 304, 305, 306, 309, 404, 0, -1])
    func leavesOtherAnswersAlone(status: Int) throws {
        #expect(try Self.follow(status, "/z") == .notARedirect)
    }

    /// RFC 9110 §15.4.1: the client may follow the choice that the server prefers.
    @Test func followsThePreferredChoiceOfAReadingRequestOnly() throws {
        for method in [HTTPRequest.Method.get, .head] {
            guard case .follow(let target, method, false, false) = try Self.follow(300, "/z", method: method)
            else {
                Issue.record("not followed: \(method)")
                continue
            }
            #expect(target.absoluteString == "https://u:geheim@a.example/z#f")
            #expect(try Self.follow(300, nil, method: method) == .notARedirect)
        }
        for method in [HTTPRequest.Method.post, .put, .delete] {
            #expect(try Self.follow(300, "/z", method: method) == .notARedirect)
        }
        let secure = "https://a.example/x"
        #expect(
            try Self.follow(300, "file:///etc/passwd", from: secure) == .refuse(.unsupportedScheme("file"))
        )
        guard case .refuse(.downgrade) = try Self.follow(300, "http://a.example/x", from: secure) else {
            Issue.record("encryption is given up")
            return
        }
    }

    /// RFC 9110 §15.4.
    @Test(arguments: [
        (301, HTTPRequest.Method.get, HTTPRequest.Method.get), (302, .head, .head), (303, .get, .get),
        (303, .head, .head),
        (301, .post, .get), (302, .post, .get), (303, .post, .get), (303, .put, .get), (303, .delete, .get),
        (301, .put, .put), (302, .delete, .delete), (307, .post, .post), (308, .post, .post),
        (307, .put, .put),
        (308, .get, .get),
    ])
    func rewritesTheMethod(status: Int, method: HTTPRequest.Method, next: HTTPRequest.Method) throws {
        guard case .follow(_, let actual, _, let dropsBody) = try Self.follow(status, "/z", method: method)
        else {
            Issue.record("not followed")
            return
        }
        #expect(actual == next)
        #expect(dropsBody == (method != next))
    }

    @Test(arguments: [
        ("/z", "https://u:geheim@a.example/z#f", false),
        ("z?q#g", "https://u:geheim@a.example/z?q#g", false),
        ("https://a.example:443/z", "https://a.example/z#f", false),
        ("//b.example/z", "https://b.example/z#f", true),
        ("https://b.example/z", "https://b.example/z#f", true),
        ("https://a.example:8443/z", "https://a.example:8443/z#f", true),
        ("https://v:w@b.example/z", "https://b.example/z#f", true),
        ("https://a.example.evil.example/z", "https://a.example.evil.example/z#f", true),
        ("https://a.example@evil.example/z", "https://evil.example/z#f", true),
        ("https://A.EXAMPLE/z", "https://a.example/z#f", false),
    ])
    func staysWithinTheOriginOrDropsCredentials(location: String, target: String, drops: Bool) throws {
        let expected = RedirectRules.Outcome.follow(
            try HTTPURL(parsing: target),
            method: .get,
            dropsCredentials: drops,
            dropsBody: false
        )
        #expect(try Self.follow(location) == expected)
    }

    private static func follow(_ location: String) throws -> RedirectRules.Outcome {
        try follow(302, location)
    }

    @Test(
        arguments: [
            (nil, RedirectRules.Refusal.missingLocation),
            ("ftp://a.example/", .unsupportedScheme("ftp")),
            ("file:///etc/passwd", .unsupportedScheme("file")),
            ("data:,geheim", .unsupportedScheme("data")),
            ("geheim:foo", .unsupportedScheme(nil)),
            ("geheim://a.example/", .unsupportedScheme(nil)),
            ("/z\r\nSet-Cookie: x", .invalidLocation(.controlCharacter)),
            ("https://", .invalidLocation(.missingHost)),
            ("https://[", .invalidLocation(.invalidHost)),
        ] as [(String?, RedirectRules.Refusal)]
    )
    func refuses(location: String?, refusal: RedirectRules.Refusal) throws {
        guard case .refuse(let actual) = try Self.follow(302, location) else {
            Issue.record("not refused")
            return
        }
        #expect(actual == refusal)
        #expect(!"\(actual)".contains("geheim"))
    }

    @Test(arguments: ["", "?y", "x?y", "#other", "https://a.example/x?y", "https://v:w@a.example/x?y#other"])
    func refusesToAskTheSameURLAgain(location: String) throws {
        guard case .refuse(.loop(let target)) = try Self.follow(302, location) else {
            Issue.record("not refused")
            return
        }
        #expect(target.origin.host == "a.example")
    }

    @Test func refusesADowngradeUnlessAllowed() throws {
        let plain = try HTTPURL(parsing: "http://a.example/z#f")
        #expect(try Self.follow(302, "http://a.example/z") == .refuse(.downgrade(to: plain)))
        let lenient = RedirectRules(limit: 20, allowsDowngrade: true)
        let outcome = try Self.follow(302, "http://a.example/z", rules: lenient)
        #expect(outcome == .follow(plain, method: .get, dropsCredentials: true, dropsBody: false))
        let up = try Self.follow(302, "https://a.example/z", from: "http://a.example/")
        #expect(
            up
                == .follow(
                    try HTTPURL(parsing: "https://a.example/z"),
                    method: .get,
                    dropsCredentials: true,
                    dropsBody: false
                )
        )
    }

    @Test func refusesALoop() throws {
        let outcome = try Self.follow(
            302,
            "/a#g",
            from: "https://h/c",
            hops: ["https://u:p@h/a#f", "https://h/b"]
        )
        #expect(outcome == .refuse(.loop(try HTTPURL(parsing: "https://h/a#g"))))
    }

    /// Cookies were set by the answers of /a, /b and so on.
    @Test(arguments: [("/a", 1), ("/b", 2), ("/c", 3)])
    func asksAgainOnlyForWhatWasAskedBeforeCookiesWereSet(_ location: String, _ first: Int) throws {
        for repeatable in 0...3 {
            let outcome = try Self.follow(
                302,
                location,
                from: "https://h/c",
                hops: ["https://h/a", "https://h/b"],
                mayRepeat: repeatable
            )
            let target = try HTTPURL(parsing: "https://h\(location)")
            #expect(
                outcome
                    == (repeatable >= first
                        ? .follow(target, method: .get, dropsCredentials: false, dropsBody: false)
                        : .refuse(.loop(target)))
            )
        }
        let hops = (0..<20).map { "https://h/\($0)" }
        let endless = try Self.follow(302, "/0", from: "https://h/y", hops: hops, mayRepeat: 21)
        #expect(endless == .refuse(.tooMany(limit: 20)))
    }

    @Test func aPostMayBeSentToItsOwnURLForTheResult() throws {
        let outcome = try Self.follow(303, "/a", from: "https://h/a", method: .post)
        let target = try HTTPURL(parsing: "https://h/a")
        #expect(outcome == .follow(target, method: .get, dropsCredentials: false, dropsBody: true))
    }

    @Test func followsAsManyAsAllowed() throws {
        let hops = (0..<20).map { "https://h/\($0)" }
        #expect(try Self.follow(302, "/z", from: "https://h/y", hops: hops) == .refuse(.tooMany(limit: 20)))
        guard case .follow = try Self.follow(302, "/z", from: "https://h/y", hops: hops.dropLast()) else {
            Issue.record("not followed")
            return
        }
        let none = RedirectRules(limit: 0, allowsDowngrade: false)
        #expect(try Self.follow(302, "/z", rules: none) == .refuse(.tooMany(limit: 0)))
    }

    @Test func messagesLeakNoSecret() throws {
        let url = try HTTPURL(parsing: "http://u:geheim@h/x?token=geheim#geheim")
        let refusals: [RedirectRules.Refusal] = [
            .loop(url), .downgrade(to: url), .tooMany(limit: 3), .missingLocation,
        ]
        for refusal in refusals {
            #expect(!"\(refusal) \(String(reflecting: refusal))".contains("geheim"))
        }
    }

    @Test func credentialsNeverCrossAnOrigin() throws {
        let alphabet =
            SeededRandom.soup + [
                "https://", "http://", "//", "a.example", "b.example", ":443", "v:w@", "../",
            ]
        let rules = RedirectRules(limit: 20, allowsDowngrade: true)
        let current = try HTTPURL(parsing: "https://u:geheim@a.example/x?y#f")
        for seed in 0..<30_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let location = random.text(from: alphabet, length: 7)
            let outcome = rules.follow(status: 307, location: location, from: current, method: .get, hops: [])
            #expect(!"\(outcome)".contains("geheim"), "seed \(seed)")
            guard case .follow(let target, _, let drops, _) = outcome else { continue }
            #expect(drops == (target.origin != current.origin), "seed \(seed)")
            #expect(!drops || (target.user == nil && target.password == nil), "seed \(seed)")
        }
    }
}
