import Ferry
import FerryCore
import FerryTesting
import Synchronization
import Testing

/// The end of an engine.
@Suite("Closing an engine", .timeLimit(.minutes(10)))
struct ClosingTests {
    /// What has ended, in order.
    private final class Ends: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func note(_ name: String) { names.withLock { $0.append(name) } }
    }

    /// A transport that closes its connections only when this process has given up its proof of life.
    private struct SlowTransport: HTTPTransport {
        let ends: Ends
        let resigned: AsyncStream<Void>

        func withResponse<Result: Sendable>(
            to request: TransportRequest,
            _ handle: @Sendable (ResponseHead, any ResponseBody) async throws -> Result
        ) async throws -> Result {
            throw CancellationError()
        }

        func shutdown() async {
            for await _ in resigned {}
            ends.note("connections")
        }
    }

    private struct Host: HostInspector {
        let process: Bench.Process
        let ends: Ends
        let continuation: AsyncStream<Void>.Continuation
        var currentProcess: ProcessIdentity { process.currentProcess }
        var boot: BootID { process.boot }
        func life(of process: ProcessIdentity) -> Life { self.process.life(of: process) }

        func resign() {
            ends.note("proof of life")
            continuation.finish()
        }
    }

    @Test("the store does not wait for connections to close; what both use is released last")
    func storeAndNetworkCloseTogether() async throws {
        let bench = try Bench()
        let ends = Ends()
        let (resigned, continuation) = AsyncStream.makeStream(of: Void.self)
        let client = ClientSeams(
            store: bench.store,
            files: bench.files,
            bodies: bench.bodies,
            clock: bench.clock,
            host: Host(process: bench.machine.spawn(), ends: ends, continuation: continuation),
            release: { ends.note("threads") }
        )
        let engine = TransferEngine(
            EngineConfiguration(dataDirectory: "/unused"),
            seams: EngineSeams(
                client: client,
                transport: SlowTransport(ends: ends, resigned: resigned),
                network: bench.network
            )
        )
        await engine.close()
        #expect(ends.all == ["proof of life", "connections", "threads"])
    }

    @Test("if the store cannot be opened, the transport that was started beside it is shut down")
    func withoutAStoreTheTransportEnds() async throws {
        let bench = try Bench()
        await #expect(throws: StoreError.self) {
            try await TransferEngine.open(
                EngineConfiguration(dataDirectory: "/dev/null/store"),
                over: bench.transport,
                random: SystemRandomNumberGenerator()
            )
        }
        #expect(bench.transport.isShutDown)
    }
}
