import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Of several transfers, each that waits for its turn is announced when it starts.
@Suite("What is announced when it starts")
struct LaterStartTests {
    @Test(
        "a transfer without bytes that waits for its turn",
        arguments: [
            (.added, .queued, 0, true), (.attached(process: nil), .queued, 0, true),
            // Its line says what is kept, or who runs it.
            (.attached(process: nil), .queued, 1, false), (.attached(process: 7), .queued, 0, false),
            (.added, .active, 0, false), (.added, .paused, 0, false),
            (.added, .waiting(.dependency), 0, false), (.attached(process: nil), .completed, 0, false),
            (.state(took: nil), .queued, 0, false),
        ] as [(Announcement.News, TransferState, Int64, Bool)]
    )
    func beginsLater(
        _ news: Announcement.News,
        _ state: TransferState,
        _ received: Int64,
        _ expected: Bool
    ) throws {
        let transfer = try Sample.transfer(state: state, received: received, length: 2)
        #expect(Announcement(transfer, transfer.recordedProgress, news).beginsLater == expected)
    }
}
