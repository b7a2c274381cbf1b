import FerryCore
import HTTPTypes
import Synchronization
import Testing

@testable import Ferry

@Suite("The log of requests")
struct TracedTransportTests {
    /// A transport with one connection, which breaks before each answer.
    private final class OneConnection: HTTPTransport {
        private let count = Mutex(0)

        func withResponse<Result: Sendable>(
            to request: TransportRequest,
            _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
        ) async throws -> Result {
            let isReused = count.withLock { count in
                count += 1
                return count > 1
            }
            request.listener?.carried {
                ConnectionFacts(number: 3, peer: "192.0.2.7:443", security: "TLS 1.3", isReused: isReused)
            }
            throw Problem.transient(.connectionLost, "It broke.")
        }

        func shutdown() async {}
    }

    @Test func aConnectionHasOneNumberHoweverManyRequestsItCarries() async throws {
        let log = KeptLog()
        let transport = TracedTransport(OneConnection(), logger: log.logger)
        let url = try HTTPURL(parsing: "https://origin.example/file.bin")
        for _ in 0..<2 {
            await #expect(throws: Problem.self) {
                try await transport.withResponse(to: TransportRequest(url: url, headers: [:])) { _, _ in }
            }
        }
        #expect(
            log.lines.map(\.message) == [
                "[1] * Connected to 192.0.2.7:443 with TLS 1.3 (connection 3).", "[1] * It broke.",
                "[2] * Reused connection 3 to 192.0.2.7:443 with TLS 1.3.", "[2] * It broke.",
            ]
        )
    }
}
