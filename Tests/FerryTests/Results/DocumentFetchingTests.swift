import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Small documents are fetched by the rules for downloads", .timeLimit(.minutes(10)))
struct DocumentFetchingTests {
    private func failure(_ bench: Bench, limit: Int = 20_000) async throws -> TransferFailure {
        let engine = bench.engine()
        return try await #require(throws: TransferFailure.self) {
            try await engine.data(from: bench.url, limit: limit)
        }
    }

    @Test func comesWithoutARunningEngineAndLeavesNoTrace() async throws {
        let bench = try Bench()
        let engine = bench.engine()
        #expect(try await engine.data(from: bench.url, limit: 20_000) == bench.bytes)
        #expect(try await engine.transfers(limit: 1).isEmpty)
        #expect(bench.transport.requests.map { $0.headers[.range] } == [nil])
        #expect(bench.transport.requests.first?.headers[.acceptEncoding] == "identity")
    }

    @Test(arguments: [true, false])
    func mayBeAsLongAsTheLimitAndNotAByteLonger(tellsLength: Bool) async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes)
        resource.tellsLength = tellsLength
        bench.transport.set(resource, at: bench.url)
        let bytes = try await bench.engine().data(from: bench.url, limit: bench.bytes.count)
        #expect(bytes == bench.bytes)
        let failure = try await failure(bench, limit: bench.bytes.count - 1)
        #expect(failure.code == .badResponse && failure.remedies == [.checkURL])
        #expect(failure.message.contains("more than"))
    }

    @Test(arguments: [
        (404, TransferFailure.Code.notFound), (410, .gone), (401, .notAuthorised), (403, .forbidden),
        (503, .serverOverloaded), (500, .serverError), (204, .badResponse), (206, .badResponse),
    ])
    func isWhatAnswers200AndNothingElse(status: Int, code: TransferFailure.Code) async throws {
        let bench = try Bench()
        bench.transport.order(.answer(status: status, [:]), at: bench.url)
        let failure = try await failure(bench)
        #expect(failure.code == code)
        #expect((failure.remedies == [.retry]) == [.serverOverloaded, .serverError].contains(code))
        #expect(bench.transport.requests.count == 1, "it is asked for once")
    }

    @Test func isNotTakenInACodingThatNobodyAskedFor() async throws {
        let bench = try Bench()
        var resource = ScriptedResource(bench.bytes)
        resource.headers[.contentEncoding] = "gzip"
        bench.transport.set(resource, at: bench.url)
        #expect(try await failure(bench).message.contains("gzip"))
        resource.headers[.contentEncoding] = "br"
        bench.transport.set(resource, at: bench.url)
        #expect(try await failure(bench).message.contains("br"))
    }

    @Test func takesNoSecretToAnotherOrigin() async throws {
        let bench = try Bench()
        let first = try HTTPURL(parsing: "http://user:word@first.example/sums")
        var redirect = ScriptedResource([])
        redirect.redirect = (302, bench.url.absoluteString)
        bench.transport.set(redirect, at: first.withoutUserinfo)
        var options = DownloadOptions()
        options.headers = [.init(name: "Cookie", value: "session=1")]
        let engine = bench.engine()
        #expect(try await engine.data(from: first, limit: 20_000, options: options) == bench.bytes)
        let asked = bench.transport.requests
        #expect(asked.map(\.url.host) == ["first.example", "origin.example"])
        #expect(asked.map { $0.headers[.authorization] != nil } == [true, false])
        #expect(asked.map { $0.headers[.cookie] } == ["session=1", nil])
    }

    @Test func followsNoMoreRedirectsThanADownload() async throws {
        let bench = try Bench()
        var redirect = ScriptedResource([])
        redirect.redirect = (302, bench.url.absoluteString)
        bench.transport.set(redirect, at: bench.url)
        #expect(try await failure(bench).code == .tooManyRedirects)
    }
}
