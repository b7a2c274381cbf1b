import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// Which cookies requests carry, and which that servers set are kept (RFC 6265).
@Suite("Cookies of a session", .timeLimit(.minutes(10)))
struct SessionCookieTests {
    /// What a server answers once.
    private func set(
        _ cookies: [String],
        redirectingTo target: String? = nil,
        status: Int? = nil
    ) -> ScriptedFault {
        var fields = HTTPFields()
        fields[values: .setCookie] = cookies
        if let target { fields[.location] = target }
        return .answer(status: status ?? (target == nil ? 200 : 302), fields)
    }

    /// A bench whose servers answer in turn, each URL with what was ordered for it and then with the file.
    private func bench(_ orders: [(String, ScriptedFault)]) throws -> Bench {
        let bench = try Bench()
        for (text, fault) in orders {
            let url = try HTTPURL(parsing: text)
            bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: url)
            bench.transport.order(fault, at: url)
        }
        return bench
    }

    private func fetch(
        _ text: String,
        from bench: Bench,
        _ session: SessionCookies? = nil,
        _ options: DownloadOptions = DownloadOptions()
    ) async throws -> [UInt8] {
        let engine = bench.engine(configure: { $0.cookies = session })
        return try await engine.data(from: HTTPURL(parsing: text), limit: 20_000, options: options)
    }

    /// The `Cookie` fields of all requests. A request must have only one.
    private func sent(_ bench: Bench) -> [String?] {
        bench.transport.requests.map { request in
            let fields = request.headers[values: .cookie]
            #expect(fields.count <= 1)
            return fields.first
        }
    }

    private let url = "http://h.example/f"

    @Test(
        "a server that redirects to the same URL until it gets its cookie is asked again",
        arguments: [true, false]
    )
    func cookieWall(isShared: Bool) async throws {
        let bench = try bench([(url, set(["wall=1", "b=2; Path=/"], redirectingTo: url))])
        let engine = bench.engine(configure: { $0.cookies = isShared ? SessionCookies() : nil })
        _ = try await engine.download(from: HTTPURL(parsing: url), to: bench.destination)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
        #expect(sent(bench) == [nil, "wall=1; b=2"])
    }

    @Test func aWallBehindAnotherServerIsPassed() async throws {
        let login = "http://login.example/in"
        let bench = try bench([
            (url, set([], redirectingTo: login)), (login, set(["in=1"], redirectingTo: url)),
            (url, set(["s=1"], redirectingTo: login)), (login, set([], redirectingTo: url)),
        ])
        #expect(try await fetch(url, from: bench) == bench.bytes)
        #expect(sent(bench) == [nil, nil, nil, "in=1", "s=1"])
    }

    @Test func aRedirectThatSetsNothingElseIsALoop() async throws {
        let bench = try bench([
            (url, set(["wall=1; Max-Age=60"], redirectingTo: url)),
            (url, set(["wall=1; Max-Age=90"], redirectingTo: url)),
        ])
        let failure = try await #require(throws: TransferFailure.self) { try await fetch(url, from: bench) }
        #expect(failure.code == .tooManyRedirects)
        #expect(sent(bench) == [nil, "wall=1"])
    }

    @Test func aServerThatSetsAnotherCookieEachTimeIsAskedUpToTheLimit() async throws {
        let bench = try bench((0..<40).map { (url, set(["n=\($0)"], redirectingTo: url)) })
        var options = DownloadOptions()
        options.redirectLimit = 5
        let failure = try await #require(throws: TransferFailure.self) {
            try await fetch(url, from: bench, nil, options)
        }
        #expect(failure.code == .tooManyRedirects)
        #expect(sent(bench) == [nil, "n=0", "n=1", "n=2", "n=3", "n=4"])
    }

    @Test func anotherDomainGetsNone() async throws {
        let other = "http://other.example/f"
        let bench = try bench([
            (url, set(["a=1", "b=2; Domain=other.example", "c=3; Domain=example"], redirectingTo: other)),
            (other, set(["o=1", "p=2; Domain=h.example"], redirectingTo: "\(url)?again")),
        ])
        let again = try HTTPURL(parsing: "\(url)?again")
        bench.transport.set(ScriptedResource(bench.bytes), at: again)
        #expect(try await fetch(url, from: bench) == bench.bytes)
        #expect(sent(bench) == [nil, nil, "a=1"])
    }

    @Test func hostsOfTheDomainGetThem() async throws {
        let files = "http://files.h.example/f"
        let bench = try bench([(url, set(["own=1", "all=2; Domain=h.example"], redirectingTo: files))])
        bench.transport.set(ScriptedResource(bench.bytes), at: try HTTPURL(parsing: files))
        #expect(try await fetch(url, from: bench) == bench.bytes)
        #expect(sent(bench) == [nil, "all=2"])
    }

    @Test func secureCookiesStayWithHTTPS() async throws {
        let secure = "https://h.example/s"
        let bench = try bench([
            (secure, set(["a=1; Secure", "b=2"], redirectingTo: url)),
            (url, set(["a=9", "c=3; Secure"], redirectingTo: "https://h.example/t")),
        ])
        bench.transport.set(ScriptedResource(bench.bytes), at: try HTTPURL(parsing: "https://h.example/t"))
        var options = DownloadOptions()
        options.allowsDowngrade = true
        #expect(try await fetch(secure, from: bench, nil, options) == bench.bytes)
        #expect(sent(bench) == [nil, "b=2", "a=1; b=2"])
    }

    @Test func aSessionIsSharedByRequestsAndLivesAsLongAsItsCookies() async throws {
        let next = "http://h.example/next"
        for session in [SessionCookies(), nil] {
            let bench = try bench([(url, set(["a=1; Max-Age=10", "b=2"]))])
            bench.transport.set(ScriptedResource(bench.bytes), at: try HTTPURL(parsing: next))
            _ = try await fetch(url, from: bench, session)
            _ = try await fetch(next, from: bench, session)
            bench.clock.advance(by: .seconds(11))
            _ = try await fetch(next, from: bench, session)
            #expect(sent(bench) == (session == nil ? [nil, nil, nil] : [nil, "a=1; b=2", "b=2"]))
            let text = session?.text(at: bench.clock.now) ?? ""
            #expect(text.contains("\tb\t2\n") == (session != nil) && !text.contains("\ta\t"))
        }
    }

    @Test func whatAFailureSetsIsKept() async throws {
        let bench = try bench([(url, set(["a=1"], status: 404))])
        let session = SessionCookies()
        let failure = try await #require(throws: TransferFailure.self) {
            try await fetch(url, from: bench, session)
        }
        #expect(failure.code == .notFound)
        #expect(session.text(at: bench.clock.now).contains("h.example\tFALSE\t/\tFALSE\t0\ta\t1\n"))
    }

    @Test func aFieldOfTheUsersStaysAsItIs() async throws {
        let other = "http://other.example/f"
        let bench = try bench([
            (url, set(["mine=2", "a=1"], redirectingTo: "/g")),
            ("http://h.example/g", set(["b=1"], redirectingTo: other)),
        ])
        bench.transport.set(ScriptedResource(bench.bytes), at: try HTTPURL(parsing: other))
        let session = try SessionCookies(parsing: "other.example\tFALSE\t/\tFALSE\t0\to\t1")
        var options = DownloadOptions()
        options.headers = [.init(name: "cookie", value: "mine=1")]
        #expect(try await fetch(url, from: bench, session, options) == bench.bytes)
        #expect(sent(bench) == ["mine=1", "mine=1", "o=1"])
        #expect(session.text(at: bench.clock.now).contains("\tb\t1\n"))

        let wall = try self.bench([(url, set(["wall=1"], redirectingTo: url))])
        let failure = try await #require(throws: TransferFailure.self) {
            try await fetch(url, from: wall, nil, options)
        }
        #expect(failure.code == .tooManyRedirects, "the second request would be the same as the first")
        #expect(sent(wall) == ["mine=1"])
    }

    @Test("cookies of a file that a transfer keeps begin its session", arguments: [true, false])
    func loadedCookies(isShared: Bool) async throws {
        let bench = try bench([
            (url, set(["a=3", "b=; Path=/; Max-Age=0"], redirectingTo: url)),
            (url, set([], redirectingTo: "http://other.example/f")),
        ])
        let other = try HTTPURL(parsing: "http://other.example/f")
        bench.transport.set(ScriptedResource(bench.bytes), at: other)
        var options = DownloadOptions()
        options.headers = [.init(name: "Cookie", value: "a=1; b=2; c=4")]
        options.exchange.hasLoadedCookies = true
        let session = isShared ? SessionCookies() : nil
        #expect(try await fetch(url, from: bench, session, options) == bench.bytes)
        #expect(sent(bench) == ["a=1; b=2; c=4", "a=3; c=4", nil])
        #expect(session?.text(at: bench.clock.now).contains("\ta\t") != true, "they are this transfer's")
    }

    @Test func aSessionFromTheSameFileCounts() async throws {
        let bench = try bench([(url, set([]))])
        let session = try SessionCookies(parsing: "h.example\tFALSE\t/\tFALSE\t0\ta\t2")
        var options = DownloadOptions()
        options.headers = [.init(name: "Cookie", value: "a=1")]
        options.exchange.hasLoadedCookies = true
        _ = try await fetch(url, from: bench, session, options)
        #expect(sent(bench) == ["a=2"])
    }

    @Test func otherFieldsAreNotFromTheFile() {
        var terms = ExchangeTerms()
        terms.headers = [.init(name: "Cookie", value: "a=1")]
        terms.hasLoadedCookies = true
        #expect(terms.hasLoadedCookies)
        terms.headers.append(.init(name: "X", value: "1"))
        #expect(!terms.hasLoadedCookies)
    }

    @Test func aFileThatCannotBeReadNamesTheLine() throws {
        let error = try #require(throws: SessionCookies.ParseError.self) {
            try SessionCookies(parsing: "# a\nh FALSE geheim")
        }
        #expect(error.line == 2)
        #expect("\(error)".contains("line 2") && !"\(error)".contains("geheim"))
    }
}
