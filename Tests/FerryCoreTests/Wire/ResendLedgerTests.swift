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
        var ledger = ResendLedger(isRepeatable: isRepeatable)
        #expect(ledger.need == (isRepeatable ? .any : .fresh))
        #expect(ledger.resends(after: loss) == resends)
        #expect(ledger.need == (isRepeatable && !resends ? .any : .fresh))
    }

    @Test("happens once after a reused connection closed, and a few times when nothing had left")
    func isBounded() {
        var ledger = ResendLedger(isRepeatable: true)
        let stale = ExchangeLoss.unanswered(isReused: true)
        #expect(ledger.resends(after: .nothingLeft) == true)
        #expect(ledger.resends(after: stale) == false)
        #expect(ledger.resends(after: .nothingLeft) == true)
        #expect(ledger.resends(after: .nothingLeft) == true)
        #expect(ledger.resends(after: .nothingLeft) == false)
        var other = ResendLedger(isRepeatable: true)
        #expect(other.resends(after: stale) == true)
        #expect(other.resends(after: stale) == false)
    }

    @Test("without its expectation leaves everything else as it was")
    func dropsExpectation() {
        var ledger = ResendLedger(isRepeatable: true)
        #expect(ledger.mayExpect)
        ledger.dropExpectation()
        #expect(!ledger.mayExpect && ledger.need == .any)
        #expect(ledger.resends(after: .unanswered(isReused: true)) == true)
    }
}
