import FerryCore
import Testing

@Suite("How many connections a download has")
struct ConnectionPlanTests {
    /// Lets a download run for so many seconds against a server whose total speed is a function of the number of
    /// connections; returns how many were wanted after each sample.
    private func run(
        _ plan: inout ConnectionPlan,
        seconds: Double,
        from start: Instant = .epoch,
        at bytesPerSecond: (Int) -> Double
    ) -> [Int] {
        var now = start
        var received = 0.0
        var wanted: [Int] = []
        while start.duration(to: now) < .milliseconds(Int64(seconds * 1000)) {
            let step = plan.pace
            received += bytesPerSecond(plan.wanted) * (step / .seconds(1))
            now = now.advanced(by: step)
            plan.sample(received: Int64(received), receiving: plan.wanted, at: now)
            wanted.append(plan.wanted)
        }
        return wanted
    }

    @Test func doublesAsLongAsThatPays() {
        var plan = ConnectionPlan(most: 16)
        let wanted = run(&plan, seconds: 2) { Double($0) * 20e6 }
        #expect(Array(wanted.prefix(9)) == [1, 2, 2, 4, 4, 8, 8, 16, 16])
    }

    @Test func stopsWhereMoreConnectionsBringNothing() {
        var plan = ConnectionPlan(most: 16)
        #expect(run(&plan, seconds: 9) { min(Double($0), 4) * 20e6 }.max() == 8)
        #expect(plan.wanted == 8)
    }

    @Test func triesAgainOnceInAWhile() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 5) { _ in 20e6 }
        #expect(plan.wanted == 2)
        let later = Instant.epoch.advanced(by: .seconds(20))
        _ = run(&plan, seconds: 10, from: later) { Double($0) * 20e6 }
        #expect(plan.wanted == 8)
    }

    @Test func goesBackWhereMoreConnectionsDoHarm() {
        var plan = ConnectionPlan(most: 16)
        _ = run(&plan, seconds: 5) { $0 > 4 ? 10e6 : Double($0) * 20e6 }
        #expect(plan.wanted == 4)
    }

    @Test func neverWantsMoreThanWereGranted() {
        var plan = ConnectionPlan(most: 16)
        _ = run(&plan, seconds: 1) { Double($0) * 20e6 }
        plan.refused(beside: 3)
        #expect(plan.most == 3 && plan.wanted == 3)
        #expect(run(&plan, seconds: 100) { Double($0) * 20e6 }.max() == 3)
        plan.refused(beside: 0)
        #expect(plan.wanted == 1)
    }

    @Test func waitsForTheBodiesItWants() {
        var plan = ConnectionPlan(most: 4)
        for second in 0..<10 as Range<Int64> {
            plan.sample(received: 0, receiving: 0, at: .epoch.advanced(by: .seconds(second)))
        }
        #expect(plan.wanted == 1)
    }

    @Test func measuresNoShorterThanTheServerTakesToAnswer() {
        var plan = ConnectionPlan(most: 4)
        #expect(plan.pace == .milliseconds(100))
        plan.answered(after: .milliseconds(300))
        plan.answered(after: .milliseconds(100))
        #expect(plan.pace == .milliseconds(600))
        plan.answered(after: .seconds(50))
        #expect(plan.pace == .seconds(2))
    }

    @Test func aClockThatIsSetBackDoesNoHarm() {
        var plan = ConnectionPlan(most: 4)
        _ = run(&plan, seconds: 5, from: .epoch.advanced(by: .seconds(1_000_000))) { _ in 1e6 }
        #expect(plan.wanted == 2)
        _ = run(&plan, seconds: 5) { Double($0) * 20e6 }
        #expect(plan.wanted == 4)
    }
}
