import FerryCore
import Testing

@Suite("Sending a lost request again")
struct ResendLedgerTests {
    @Test(
        "is decided by what was lost",
        arguments: [
            (ExchangeLoss.nothingLeft, false, true),
            (.nothingLeft, true, true),
            (.unanswered(isReused: true), true, true),
            (.unanswered(isReused: true), false, false),
            (.unanswered(isReused: false), true, false),
            (.closedWhileSending, true, false),
            (.fault(.closedWithinHead), true, false),
            (.fault(.invalidStatus), true, false),
        ]
    )
    func decides(loss: ExchangeLoss, isRepeatable: Bool, resends: Bool) {
        var ledger = ResendLedger()
        #expect(ledger.resends(after: loss, isRepeatable: isRepeatable) == resends)
    }

    @Test("happens once after a reused connection closed, and a few times when nothing had left")
    func isBounded() {
        var ledger = ResendLedger()
        let stale = ExchangeLoss.unanswered(isReused: true)
        #expect(ledger.resends(after: .nothingLeft, isRepeatable: true) == true)
        #expect(ledger.resends(after: stale, isRepeatable: true) == false)
        #expect(ledger.resends(after: .nothingLeft, isRepeatable: false) == true)
        #expect(ledger.resends(after: .nothingLeft, isRepeatable: false) == true)
        #expect(ledger.resends(after: .nothingLeft, isRepeatable: false) == false)
        var other = ResendLedger()
        #expect(other.resends(after: stale, isRepeatable: true) == true)
        #expect(other.resends(after: stale, isRepeatable: true) == false)
    }
}
