import Ferry
import FerryCore
import FerryTesting
import Testing

/// An error that no one foresaw may quote a URL, and a failure is stored and shown (I7).
@Suite("Errors that no one foresaw", .timeLimit(.minutes(10)))
struct UnexpectedErrorTests {
    private struct QuotingError: Error, CustomStringConvertible {
        let url: HTTPURL
        var description: String { url.absoluteString }
    }

    private struct QuotingTransport: HTTPTransport {
        func withResponse<Result: Sendable>(
            to request: TransportRequest,
            _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
        ) async throws -> Result {
            throw QuotingError(url: request.url)
        }

        func shutdown() async {}
    }

    @Test func aDownloadNamesOnlyTheTypeOfAnError() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false), transport: QuotingTransport())
        let url = try HTTPURL(parsing: "http://origin.example/file.bin?token=s3cret")
        var options = DownloadOptions()
        options.retries = 0
        let handle = try await engine.download(from: url, to: bench.destination, options: options)
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.value() }
        }
        #expect(failure?.code == .internalFault)
        #expect(failure?.message == "The transfer met an unexpected error: QuotingError.")
    }

    @Test func aRequestNamesOnlyTheTypeOfAnError() async throws {
        let bench = try Bench()
        let engine = bench.engine(.everything(untilDrained: false), transport: QuotingTransport())
        var request = try RequestSpecification(
            url: HTTPURL(parsing: "http://origin.example/orders?token=s3cret")
        )
        request.retries = 0
        let handle = try await engine.send(request)
        let failure = await #expect(throws: TransferFailure.self) {
            try await bench.running(engine) { try await handle.response() }
        }
        #expect(failure?.code == .internalFault)
        #expect(failure?.message == "The request met an unexpected error: QuotingError.")
    }
}
