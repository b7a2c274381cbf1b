import FerryCore
import FerryTesting
import HTTPTypes
import Synchronization
import Testing

@testable import Ferry

@Suite("Requests for objects", .timeLimit(.minutes(10)))
struct ObjectSenderTests {
    private static let east = "https://bucket.s3.us-east-1.amazonaws.com/a%20key"

    /// A bench with an object at this URL, and an engine that has numbered access keys.
    private struct Stage {
        let bench: Bench
        let engine: TransferEngine
        let object: HTTPURL
        private let count = Counter()

        private final class Counter: Sendable {
            private let value = Mutex(0)
            func next() -> Int {
                value.withLock { value in
                    value += 1
                    return value
                }
            }
        }

        init(_ name: String = "s3://bucket/a key", at url: String, endpoint: String? = nil) throws {
            bench = try Bench()
            object = try HTTPURL(parsing: name)
            bench.transport.set(
                ScriptedResource(bench.bytes, entityTag: "\"v1\""),
                at: try HTTPURL(parsing: url)
            )
            let server = try endpoint.map { try HTTPURL(parsing: $0) }
            engine = bench.engine(configure: { [count] configuration in
                configuration.objectStoreAccess = { _ in
                    ObjectStoreAccess(
                        ObjectStoreCredentials(accessKey: "KEY\(count.next())", secret: "secret"),
                        addressing: ObjectStoreAddressing(endpoint: server)
                    )
                }
            })
        }

        /// Lets the next request to a URL be answered with an error of the store.
        func refuse(
            _ url: String,
            _ status: Int,
            _ code: String,
            _ more: String = "",
            _ fields: HTTPFields = [:]
        ) throws {
            let xml = "<Error><Code>\(code)</Code>\(more)<RequestId>R1</RequestId></Error>"
            bench.transport.order(
                .answer(status: status, fields, body: Array(xml.utf8)),
                at: try HTTPURL(parsing: url)
            )
        }

        /// Downloads the object, and returns the requests.
        func download(_ options: DownloadOptions = DownloadOptions()) async throws -> [TransportRequest] {
            _ = try await engine.download(from: object, to: bench.destination, options: options)
            try await engine.run()
            return bench.transport.requests
        }

        /// Downloads the object in vain.
        func failure() async throws -> TransferFailure? {
            let handle = try await engine.download(from: object, to: bench.destination)
            try await engine.run()
            guard case .failed(let failure) = try await handle.snapshot.state else { return nil }
            return failure
        }
    }

    private func key(_ request: TransportRequest) -> Substring? {
        request.headers[.authorization]?.firstRange(of: "Credential=").flatMap { range in
            request.headers[.authorization]?[range.upperBound...].prefix { $0 != "/" }
        }
    }

    @Test("an object is asked for where its store has it, each request signed, and the name stays")
    func signs() async throws {
        let stage = try Stage(at: Self.east)
        let requests = try await stage.download()
        #expect(try stage.bench.published == stage.bench.bytes)
        try #require(!requests.isEmpty)
        for request in requests {
            #expect(request.url.host == "bucket.s3.us-east-1.amazonaws.com")
            #expect(key(request) == "KEY1")
            let name = try #require(HTTPField.Name("x-amz-content-sha256"))
            #expect(request.headers[name] == "UNSIGNED-PAYLOAD")
        }
    }

    @Test("the region that a store tells is used, and remembered for the bucket")
    func moves() async throws {
        let west = "https://bucket.s3.eu-west-1.amazonaws.com/a%20key"
        let stage = try Stage(at: west)
        try stage.refuse(Self.east, 400, "AuthorizationHeaderMalformed", "<Region>eu-west-1</Region>")
        let requests = try await stage.download()
        #expect(try stage.bench.published == stage.bench.bytes)
        let hosts = requests.map(\.url.host)
        #expect(hosts.first == "bucket.s3.us-east-1.amazonaws.com")
        #expect(hosts.dropFirst().allSatisfy { $0 == "bucket.s3.eu-west-1.amazonaws.com" })
        #expect(requests.last?.headers[.authorization]?.contains("/eu-west-1/s3/") == true)
        let other = try FileName(userGiven: "other")
        _ = try await stage.engine.download(from: stage.object, to: .file(directory: "/d", name: other))
        let before = stage.bench.transport.requests.count
        try await stage.engine.run()
        #expect(
            stage.bench.transport.requests.dropFirst(before).allSatisfy {
                $0.url.host == "bucket.s3.eu-west-1.amazonaws.com"
            }
        )
    }

    @Test("a store that names ever other regions is not followed for ever")
    func movesEnd() async throws {
        let stage = try Stage(
            at: "https://store.example/bucket/a%20key",
            endpoint: "https://store.example"
        )
        for number in 1...10 {
            try stage.refuse(
                "https://store.example/bucket/a%20key",
                400,
                "AuthorizationHeaderMalformed",
                "<Region>r-\(number)</Region>"
            )
        }
        #expect(try await stage.failure() != nil)
        #expect(stage.bench.transport.requests.count == 4)
    }

    @Test("expired credentials are replaced once; if those have expired too, it says so")
    func renews() async throws {
        let stage = try Stage(at: Self.east)
        try stage.refuse(Self.east, 400, "ExpiredToken")
        let requests = try await stage.download()
        #expect(try stage.bench.published == stage.bench.bytes)
        #expect(requests.map(key).first == "KEY1" && requests.map(key).last == "KEY2")
        let late = try Stage(at: Self.east)
        for _ in 1...2 { try late.refuse(Self.east, 400, "ExpiredToken") }
        let failure = try #require(try await late.failure())
        #expect(failure.code == .notAuthorised && failure.message.contains("expired"))
        #expect(late.bench.transport.requests.count == 2)
    }

    @Test("a wrong clock is corrected by what the store says")
    func corrects() async throws {
        let stage = try Stage(at: Self.east)
        let ahead = stage.bench.clock.now.advanced(by: .seconds(86_400))
        try stage.refuse(Self.east, 403, "RequestTimeTooSkewed", "", [.date: ahead.httpDate])
        let requests = try await stage.download()
        #expect(try stage.bench.published == stage.bench.bytes)
        let name = try #require(HTTPField.Name("x-amz-date"))
        let dates = requests.map { $0.headers[name]?.prefix(8) }
        #expect(dates.first == "20231114" && dates.last == "20231115")
    }

    @Test("a redirect to another server takes no credentials along (I7)")
    func aRedirectTakesNoSignatureAlong() async throws {
        let stage = try Stage(at: "https://other.example/f")
        var redirect = ScriptedResource([])
        redirect.redirect = (307, "https://other.example/f")
        stage.bench.transport.set(redirect, at: try HTTPURL(parsing: Self.east))
        let requests = try await stage.download()
        #expect(try stage.bench.published == stage.bench.bytes)
        let token = try #require(HTTPField.Name("x-amz-content-sha256"))
        for request in requests where request.url.host == "other.example" {
            #expect(request.headers[.authorization] == nil && request.headers[token] == nil)
        }
        #expect(requests.contains { $0.url.host == "other.example" })
    }

    @Test("a redirect without a server, or to another name, leads to no object")
    func relativeRedirects() async throws {
        for target in ["/other", "s3://other/key"] {
            let stage = try Stage(at: "https://other.example/f")
            var redirect = ScriptedResource([])
            redirect.redirect = (302, target)
            stage.bench.transport.set(redirect, at: try HTTPURL(parsing: Self.east))
            #expect(try await stage.failure()?.code == .redirectRefused)
            #expect(stage.bench.transport.requests.count == 1)
        }
    }

    @Test("a refusal is final, and says what the store calls it")
    func refuses() async throws {
        let stage = try Stage(at: Self.east)
        try stage.refuse(Self.east, 403, "AccessDenied", "<HostId>h+/=</HostId>")
        let failure = try #require(try await stage.failure())
        #expect(failure.code == .forbidden)
        #expect(failure.message.hasSuffix("(AccessDenied, request R1, host h+/=)."), "\(failure)")
        #expect(stage.bench.transport.requests.count == 1)
    }

    @Test("a request keeps what the store answers")
    func keeps() async throws {
        let stage = try Stage(at: Self.east)
        try stage.refuse(Self.east, 403, "AccessDenied")
        let request = try RequestSpecification(method: .put, url: stage.object, body: StoredBody("a".utf8))
        let handle = try await stage.engine.send(request)
        try await stage.engine.run()
        let response = try #require(try await handle.snapshot.response)
        #expect(response.status == 403)
        #expect(response.body.starts(with: "<Error><Code>AccessDenied".utf8))
    }

    @Test("the version belongs to the object, and not to its mirrors")
    func versions() async throws {
        let stage = try Stage(at: "\(Self.east)?versionId=v%2B1")
        var options = DownloadOptions()
        options.exchange.store = ObjectStoreReference()
        options.exchange.store?.objectVersion = "v+1"
        options.mirrors = [try HTTPURL(parsing: "s3://mirror/a key")]
        let requests = try await stage.download(options)
        #expect(try stage.bench.published == stage.bench.bytes)
        for request in requests {
            #expect(request.url.query == (request.url.host.hasPrefix("bucket.") ? "versionId=v%2B1" : nil))
        }
    }

    @Test("Google calls a version a generation")
    func generations() async throws {
        let stage = try Stage("gs://bucket/a", at: "https://storage.googleapis.com/bucket/a?generation=7")
        var options = DownloadOptions()
        options.exchange.store = ObjectStoreReference()
        options.exchange.store?.objectVersion = "7"
        let requests = try await stage.download(options)
        #expect(try stage.bench.published == stage.bench.bytes)
        #expect(!requests.isEmpty && requests.allSatisfy { $0.url.query == "generation=7" })
    }
}
