import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

@Suite("A connection of a download", .timeLimit(.minutes(10)))
struct DownloadConnectionTests {
    /// What a connection does at its end, in order.
    private final class Steps: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func note(_ step: String) { list.withLock { $0.append(step) } }
    }

    @Test func hasGivenItsPlaceBackWhenItsEndIsReported() async throws {
        let bench = try Bench()
        let (steps, network) = (Steps(), NetworkWatch(bench.network))
        bench.transport.order(
            .refuse(.transient(.connectionRefused, "It did not answer.")),
            at: bench.url
        )
        let seams = EngineSeams(
            client: bench.clientSeams(bench.machine.spawn()),
            transport: bench.transport,
            network: bench.network,
            random: SeededRandom(seed: 1)
        )
        let watched = network.begin()
        let connection = DownloadConnection(
            id: ConnectionID(rawValue: 1),
            request: .whole,
            sender: RequestSender(
                url: bench.url,
                home: nil,
                terms: ExchangeTerms(),
                userAgent: "test",
                seams: seams,
                pace: Pace(),
                watched: watched
            ),
            control: ConnectionControl(watched),
            handsOver: false,
            meter: ProgressMeter(received: 0, total: nil),
            clock: bench.clock,
            transfer: TransferID(rawValue: 1),
            network: network,
            watched: watched,
            giveBack: { steps.note("gives back") },
            report: { event in
                if case .connectionEnded = event { steps.note("reports its end") }
            }
        )
        await connection.run()
        #expect(steps.all == ["gives back", "reports its end"])
    }
}
