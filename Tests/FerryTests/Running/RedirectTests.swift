import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Secrets stay with their origin (I7)", .timeLimit(.minutes(10)))
struct RedirectTests {
    private static let secrets = ["authorization", "cookie", "x-anything", "x-api-key"]
    private static let certificate = ClientCertificate(certificateFile: "/me.pem")
    private static let all = secrets + [certificate.certificateFile]

    private func download(
        to target: String,
        through middle: String? = nil
    ) async throws -> (Bench, [TransportRequest]) {
        let bench = try Bench()
        let start = try HTTPURL(parsing: "http://user:word@first.example/f")
        let last = try HTTPURL(parsing: target)
        var redirect = ScriptedResource([])
        redirect.redirect = (302, middle ?? target)
        bench.transport.set(redirect, at: start.withoutUserinfo)
        if let middle {
            redirect.redirect = (302, target)
            bench.transport.set(redirect, at: try HTTPURL(parsing: middle))
        }
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: last)
        var options = DownloadOptions()
        options.headers = [
            .init(name: "Cookie", value: "session=1"), .init(name: "X-Api-Key", value: "k"),
            .init(name: "X-Anything", value: "x"), .init(name: "Accept-Language", value: "de"),
        ]
        options.connection.clientCertificate = Self.certificate
        let engine = bench.engine()
        _ = try await engine.download(from: start, to: bench.destination, options: options)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
        return (bench, bench.transport.requests)
    }

    private func secrets(in request: TransportRequest) -> [String] {
        let names = request.headers.map(\.name.canonicalName).filter(Self.secrets.contains).sorted()
        return names + (request.connection.clientCertificate.map { [$0.certificateFile] } ?? [])
    }

    @Test(arguments: ["http://second.example/f", "http://first.example:8080/f", "https://first.example/f"])
    func anotherOriginGetsNone(_ target: String) async throws {
        let (_, requests) = try await download(to: target)
        try #require(requests.count == 2)
        #expect(secrets(in: requests[0]) == Self.all)
        #expect(secrets(in: requests[1]) == [])
        #expect(requests[1].headers[.acceptLanguage] == "de")
    }

    @Test func theSameOriginGetsThemAgain() async throws {
        let (_, requests) = try await download(to: "http://first.example/g")
        #expect(requests.map { secrets(in: $0) } == [Self.all, Self.all])
    }

    @Test func onceDroppedTheyNeverComeBack() async throws {
        let (_, requests) = try await download(
            to: "http://first.example/g",
            through: "http://second.example/f"
        )
        #expect(requests.map { secrets(in: $0) } == [Self.all, [], []])
    }

    @Test("each hop uses its own proxy, or no proxy")
    func theProxyIsDecidedForEachHop() async throws {
        let bench = try Bench()
        let hops = try [
            "http://first.example/f", "http://inside.example/f", "https://second.example/f",
            "http://a.inside.example/f",
        ].map { try HTTPURL(parsing: $0) }
        for (hop, next) in zip(hops, hops.dropFirst()) {
            var redirect = ScriptedResource([])
            redirect.redirect = (302, next.absoluteString)
            bench.transport.set(redirect, at: hop)
        }
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: hops[3])
        var options = DownloadOptions()
        options.allowsDowngrade = true
        options.connection.proxy = try Proxy(parsing: "http://plain:1")
        options.proxies = try ProxyEnvironment([
            "http_proxy": "http://plain:1", "https_proxy": "http://secure:2", "no_proxy": "inside.example",
        ])
        let engine = bench.engine()
        _ = try await engine.download(from: hops[0], to: bench.destination, options: options)
        try await engine.run()
        #expect(try bench.published == bench.bytes)
        let proxies = bench.transport.requests.map { $0.connection.proxy?.host }
        #expect(proxies == ["plain", nil, "secure", nil])
    }

    @Test("redirects that lead nowhere end soon, with one reason", arguments: [1, 2, 30])
    func redirectsThatLeadNowhereEnd(_ hops: Int) async throws {
        let bench = try Bench()
        let urls = try (0..<hops).map { try HTTPURL(parsing: "http://first.example/\($0)") }
        for (index, url) in urls.enumerated() {
            var redirect = ScriptedResource([])
            redirect.redirect = (302, urls[(index + 1) % hops].absoluteString)
            bench.transport.set(redirect, at: url)
        }
        let engine = bench.engine()
        let handle = try await engine.download(from: urls[0], to: bench.destination)
        try await engine.run()
        guard case .failed(let failure) = try await handle.snapshot.state else {
            Issue.record("it has not failed")
            return
        }
        #expect(failure.code == .tooManyRedirects)
        #expect(bench.transport.requests.count <= 21)
    }
}
