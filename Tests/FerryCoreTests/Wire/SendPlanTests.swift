import FerryCore
import Testing

@Suite("Sending a lost request again")
struct SendPlanTests {
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
        var plan = SendPlan(isRepeatable: isRepeatable)
        #expect(plan.need == (isRepeatable ? .any : .fresh))
        #expect(plan.resends(after: loss) == resends)
        #expect(plan.need == (isRepeatable && !resends ? .any : .fresh))
    }

    @Test("happens once after a reused connection closed, and a few times when nothing had left")
    func isBounded() {
        var plan = SendPlan(isRepeatable: true)
        let stale = ExchangeLoss.unanswered(isReused: true)
        #expect(plan.resends(after: .nothingLeft) == true)
        #expect(plan.resends(after: stale) == false)
        #expect(plan.resends(after: .nothingLeft) == true)
        #expect(plan.resends(after: .nothingLeft) == true)
        #expect(plan.resends(after: .nothingLeft) == false)
        var other = SendPlan(isRepeatable: true)
        #expect(other.resends(after: stale) == true)
        #expect(other.resends(after: stale) == false)
    }

    @Test("without its expectation leaves everything else as it was")
    func dropsExpectation() {
        var plan = SendPlan(isRepeatable: true)
        #expect(plan.mayExpect)
        plan.dropExpectation()
        #expect(!plan.mayExpect && plan.need == .any)
        #expect(plan.resends(after: .unanswered(isReused: true)) == true)
    }
}
