import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

@Suite("A connection of a download", .timeLimit(.minutes(10)))
struct DownloadConnectionTests {
    /// What a connection does at its end, in order.
    private final class Deeds: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func note(_ deed: String) { list.withLock { $0.append(deed) } }
    }

    @Test func hasGivenItsPlaceBackWhenItsEndIsReported() async throws {
        let bench = try Bench()
        let (deeds, network) = (Deeds(), NetworkWatch(bench.network))
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
        let passage = network.begin()
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
                passage: passage
            ),
            control: ConnectionControl(passage),
            handsOver: false,
            meter: ProgressMeter(received: 0, total: nil),
            clock: bench.clock,
            transfer: TransferID(rawValue: 1),
            network: network,
            passage: passage,
            giveBack: { deeds.note("gives back") },
            report: { event in
                if case .connectionEnded = event { deeds.note("reports its end") }
            }
        )
        await connection.run()
        #expect(deeds.all == ["gives back", "reports its end"])
    }
}
