import FerryCore
import Testing

@testable import Ferry

@Suite("The number of attempts that may start")
struct AttemptBoardTests {
    struct Case: CustomTestStringConvertible {
        let slots: Int
        let running: Int
        var finishing = 0
        var small = 0
        let free: Int

        var testDescription: String {
            "\(slots) slots, \(running) running, \(finishing) finishing, \(small) of small files"
        }
    }

    @Test(
        arguments: [
            Case(slots: 4, running: 1, free: 3), Case(slots: 4, running: 4, free: 0),
            // Those that are finishing hold no slot, up to the number of slots.
            Case(slots: 4, running: 4, finishing: 2, free: 2),
            Case(slots: 4, running: 8, finishing: 4, free: 0),
            Case(slots: 4, running: 8, finishing: 8, free: 0),
            // There may be three times as many of small files.
            Case(slots: 4, running: 8, small: 8, free: 4), Case(slots: 4, running: 16, small: 12, free: 0),
            Case(slots: 4, running: 16, small: 16, free: 0),
            Case(slots: 4, running: 8, finishing: 4, small: 4, free: 4),
            // With one slot, each attempt is over before the next one.
            Case(slots: 1, running: 0, free: 1), Case(slots: 1, running: 1, finishing: 1, free: 0),
            Case(slots: 1, running: 1, small: 1, free: 0),
        ] as [Case]
    )
    func depends(_ known: Case) {
        let free = AttemptBoard.free(
            of: known.slots,
            running: known.running,
            finishing: known.finishing,
            small: known.small
        )
        #expect(free == known.free)
    }

    /// An attempt that does nothing.
    private final class IdleRunner: AttemptRunner {
        let transfer: Transfer
        let claim: Claim
        let meter = ProgressMeter(received: 0, total: nil)

        init(_ transfer: Transfer, token: Int64) {
            self.transfer = transfer
            claim = Claim(transfer: transfer.id, owner: OwnerID(rawValue: 1), token: token)
        }

        var askedURL: HTTPURL { transfer.work.url }

        func run() async -> AttemptReport { .claimLost }
        func ask(_: StopOrder) {}
        func obey(_: AttemptOrders) {}
        func loseClaim() {}
        func tick() {}
    }

    @Test(arguments: [false, true])
    func aNewAttemptHoldsASlotThoughTheFormerOneWasFinishing(isSmall: Bool) throws {
        let transfer = try Transfer.row(1, .queued)
        let (former, next) = (IdleRunner(transfer, token: 1), IdleRunner(transfer, token: 2))
        let board = AttemptBoard(slots: 4)
        board.begin(former)
        board.noteFinishing(transfer.id, isSmall: isSmall)
        #expect(board.room(most: 9).free == 4)
        // The former one is settled, and the transfer claimed again, before it is noted as over.
        board.begin(next)
        #expect(board.room(most: 9).free == 3)
        let wasPresent = board.end(former, at: .epoch)
        #expect(!wasPresent && board.room(most: 9).free == 3)
    }
}
