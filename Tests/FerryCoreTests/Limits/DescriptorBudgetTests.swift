import Testing

@testable import FerryCore

/// How many transfers and connections the descriptors of a process are enough for.
@Suite("Descriptors")
struct DescriptorBudgetTests {
    @Test("transfers and connections together stay within any limit")
    func staysWithin() {
        for limit in 0...5000 {
            let budget = DescriptorBudget(limit: limit, open: 5)
            guard budget.isEnough else { continue }
            let (transfers, connections) = (budget.mostTransfers, budget.mostConnections)
            #expect(transfers >= 1)
            #expect(connections >= transfers, "each has its first connection")
            let used = 5 + DescriptorBudget.reserve + 3 * transfers + connections
            #expect(used <= limit, "\(limit)")
        }
    }

    @Test(
        "a limit is enough, or it is not",
        arguments: [(20, false), (32, false), (44, false), (48, true), (64, true), (256, true)]
    )
    func enough(_ limit: Int, _ isEnough: Bool) {
        #expect(DescriptorBudget(limit: limit, open: 4).isEnough == isEnough)
    }

    @Test("a usual limit restricts no option of the user, and keeps idle connections open")
    func usual() {
        let budget = DescriptorBudget(limit: 1024, open: 10)
        #expect(budget.mostTransfers > 100)
        #expect(budget.mostConnections > 400)
        #expect(budget.keepsIdleConnections)
        #expect(DescriptorBudget.ample.mostTransfers > 1_000_000)
        #expect(!DescriptorBudget(limit: 256, open: 10).keepsIdleConnections)
    }
}
