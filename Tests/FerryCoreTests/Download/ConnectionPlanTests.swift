import FerryCore
import FerryTesting
import Testing

@Suite("The number of connections of a download")
struct ConnectionPlanTests {
    /// Runs a download for this many seconds. The total speed of the server is a function of the number of connections.
    /// Returns the number of connections wanted after each sample.
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
            let step = plan.sampleInterval
            received += bytesPerSecond(plan.wanted) * (step / .seconds(1))
            now = now.advanced(by: step)
            plan.sample(received: Int64(received), receiving: plan.wanted, at: now)
            wanted.append(plan.wanted)
        }
        return wanted
    }

    @Test func growsAsLongAsThatPays() {
        var even = ConnectionPlan(most: 64)
        #expect(
            Array(run(&even, seconds: 2) { Double($0) * 20e6 }.prefix(8)) == [1, 2, 2, 16, 16, 64, 64, 64]
        )
        // Twice as many connections are 1.5 times as fast.
        var uneven = ConnectionPlan(most: 16)
        let speeds = [1: 10e6, 2: 15e6, 4: 22e6, 8: 33e6, 16: 50e6]
        let wanted = run(&uneven, seconds: 2) { speeds[$0] ?? 0 }
        #expect(Array(wanted.prefix(8)) == [1, 2, 2, 4, 4, 8, 8, 16])
    }

    /// Each connection gets its pieces at its own times: each one so many milliseconds later than the one before.
    @Test(arguments: zip([250, 1000] as [Int64], [0, 300] as [Int64]))
    func whatComesInPiecesIsMeasuredForLonger(interval: Int64, lag: Int64) {
        // Often no piece, or too many, come within a tenth of a second.
        var plan = ConnectionPlan(most: 16)
        var now = Instant.epoch
        var begun: [Int64] = []
        while Instant.epoch.duration(to: now) < .milliseconds(interval * 12) {
            now = now.advanced(by: plan.sampleInterval)
            let time = Instant.epoch.duration(to: now).wholeMilliseconds
            while begun.count < plan.wanted { begun.append(time + lag * Int64(begun.count)) }
            let received = begun.reduce(0) { $0 + max(0, time - $1) / interval * 5_000_000 }
            plan.sample(received: received, receiving: plan.wanted, at: now)
        }
        #expect(plan.wanted >= 8)
    }

    @Test func aPauseOfAllOfThemSaysNothing() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 0.3) { Double($0) * 20e6 }
        let before = plan.wanted
        #expect(before > 1)
        _ = run(&plan, seconds: 10, from: .epoch.advanced(by: .seconds(1))) { _ in 0 }
        #expect(plan.wanted == before)
    }

    @Test func stopsWhereMoreConnectionsBringNothing() {
        var plan = ConnectionPlan(most: 16)
        #expect(run(&plan, seconds: 9) { min(Double($0), 4) * 20e6 }.max() == 16)
        #expect(plan.wanted == 4)
    }

    @Test func triesAgainOnceInAWhile() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 5) { _ in 20e6 }
        #expect(plan.wanted == 2)
        let later = Instant.epoch.advanced(by: .seconds(20))
        _ = run(&plan, seconds: 10, from: later) { Double($0) * 20e6 }
        #expect(plan.wanted == 8)
    }

    /// Brings a plan to two connections, after one has brought its first bytes at this speed.
    private func begin(_ plan: inout ConnectionPlan, at bytesPerSecond: Double) -> Instant {
        let wanted = run(&plan, seconds: 0.04) { _ in bytesPerSecond }
        #expect(wanted.last == 2)
        return .epoch.advanced(by: .milliseconds(44))
    }

    @Test func aBurstAtTheBeginningDoesNotHideWhatMoreConnectionsBring() {
        // The server limits each connection to 3 MB/s, but begins with a burst.
        var plan = ConnectionPlan(most: 16)
        let start = begin(&plan, at: 5.5e6)
        _ = run(&plan, seconds: 1, from: start) { Double($0) * 3e6 }
        #expect(plan.wanted == 16)
    }

    @Test func aGreatBurstAtTheBeginningIsNotTakenForHarm() {
        var plan = ConnectionPlan(most: 16)
        let start = begin(&plan, at: 75e6)
        let wanted = run(&plan, seconds: 1, from: start) { Double($0) * 3e6 }
        #expect(wanted.min() == 2 && wanted.last == 16)
    }

    @Test func aBurstOfTwoDoesNotHideWhatManyBring() {
        var plan = ConnectionPlan(most: 16)
        var now = begin(&plan, at: 37e6)
        // The first bytes of two connections come so fast that sixteen look slow.
        var received: Int64 = 2_000_000
        while plan.wanted == 2 {
            now = now.advanced(by: plan.sampleInterval)
            received += 75_000 * plan.sampleInterval.wholeMilliseconds
            plan.sample(received: received, receiving: plan.wanted, at: now)
        }
        #expect(plan.wanted == 16)
        let wanted = run(&plan, seconds: 3, from: now) { Double($0) * 3e6 }
        #expect(wanted.min() == 8 && wanted.last == 16)
    }

    @Test func aStepThatIsTakenBackExceedsNoNewLimit() {
        var plan = ConnectionPlan(most: 16)
        _ = run(&plan, seconds: 0.3) { $0 > 2 ? 20e6 : Double($0) * 20e6 }
        #expect(plan.wanted == 16)
        let later = Instant.epoch.advanced(by: .milliseconds(300))
        let halved = run(&plan, seconds: 0.5, from: later) { $0 > 2 ? 20e6 : Double($0) * 20e6 }
        #expect(halved.last == 8)
        plan.serve(10)
        let wanted = run(&plan, seconds: 60, from: later.advanced(by: .seconds(1))) { $0 < 10 ? 5e6 : 20e6 }
        #expect(wanted.allSatisfy { $0 <= 10 } && wanted.contains(10))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func exceedsNoLimitWhateverArrives(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var plan = ConnectionPlan(most: 16)
        var served = Int.max
        var received: Int64 = 0
        var now = Instant.epoch
        for _ in 0..<2_000 {
            now = now.advanced(by: plan.sampleInterval)
            received += Int64.random(in: 0...4_000_000, using: &random)
            plan.sample(received: received, receiving: plan.wanted, at: now)
            switch Int.random(in: 0..<100, using: &random) {
            case 0:
                served = Int.random(in: 1...20, using: &random)
                plan.serve(served)
            case 1:
                served = Int.random(in: 1...plan.wanted, using: &random)
                plan.refused(serving: served)
            case 2: plan.hold(at: 3, until: now.advanced(by: .seconds(2)))
            default: break
            }
            try #require((1...min(16, served)).contains(plan.wanted))
        }
    }

    @Test(arguments: zip([16, 2], [4, 2]))
    func goesBackToOneWhereTwoDoHarm(most: Int, highest: Int) {
        var plan = ConnectionPlan(most: most)
        let wanted = run(&plan, seconds: 60) { $0 == 1 ? 20e6 : 8e6 }
        #expect(wanted.max() == highest && wanted.suffix(40).allSatisfy { $0 == 1 })
    }

    @Test func triesLessAndLessOftenWhereMoreConnectionsBringNothing() {
        var plan = ConnectionPlan(most: 16)
        let wanted = run(&plan, seconds: 120) { _ in 20e6 }
        #expect(wanted.max() == 4 && wanted.last == 2, "what brings nothing is closed again")
        let tries = zip(wanted, wanted.dropFirst()).count { $0 < $1 }
        #expect((4...8).contains(tries), "\(tries)")
    }

    @Test func theNumberGrowsAgainAfterAFewConnectionsDripped() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 2) { Double($0) * 20e6 }
        let now = Instant.epoch.advanced(by: .seconds(2))
        plan.keep(7, closed: 1, at: now)
        #expect(plan.wanted == 7)
        #expect(run(&plan, seconds: 12, from: now) { Double($0) * 20e6 }.last == 8)
    }

    @Test func triesLessAndLessOftenWhereMostConnectionsDrip() {
        var plan = ConnectionPlan(most: 8)
        var now = Instant.epoch
        var received: Int64 = 0
        var waits: [Duration] = []
        for _ in 0..<5 {
            let start = now
            plan.keep(1, closed: 7, at: now)
            while plan.wanted == 1, start.duration(to: now) < .seconds(100) {
                let step = plan.sampleInterval
                received += Int64(20e6 * (step / .seconds(1)))
                now = now.advanced(by: step)
                plan.sample(received: received, receiving: 1, at: now)
            }
            waits.append(start.duration(to: now))
        }
        #expect(waits == waits.sorted() && waits[0] < .seconds(4) && waits[4] > .seconds(32), "\(waits)")
    }

    @Test func neverTriesMoreThanWereGrantedHoweverOften() {
        var plan = ConnectionPlan(most: 16)
        let start = begin(&plan, at: 5.5e6)
        plan.refused(serving: 2)
        #expect(run(&plan, seconds: 300, from: start) { Double($0) * 3e6 }.max() == 2)
        let later = start.advanced(by: .seconds(300))
        #expect(run(&plan, seconds: 300, from: later) { _ in 3e6 }.max() == 2)
    }

    @Test func goesBackWhereMoreConnectionsDoHarm() {
        var plan = ConnectionPlan(most: 16)
        _ = run(&plan, seconds: 5) { $0 > 4 ? 10e6 : Double($0) * 20e6 }
        #expect(plan.wanted == 4)
    }

    /// Up to `borne` connections get 4 MB/s each. If there are more, all get 2 kB/s, so more still look like a gain.
    @Test(arguments: [8, 16, 64], [1, 2, 3])
    func goesBackWhereTooManyConnectionsSlowDownAll(most: Int, borne: Int) {
        var plan = ConnectionPlan(most: most)
        let server = { (count: Int) in Double(count) * (count > borne ? 2e3 : 4e6) }
        let wanted = run(&plan, seconds: 5, at: server)
        #expect(wanted.contains { $0 > borne } && (1...borne).contains(plan.wanted))
        let bound = plan.wanted
        let later = Instant.epoch.advanced(by: .seconds(5))
        #expect(run(&plan, seconds: 590, from: later, at: server).allSatisfy { $0 == bound })
        let hour = run(&plan, seconds: 3_600, from: later.advanced(by: .seconds(590)), at: server)
        let tries = zip(hour, hour.dropFirst()).count { $0 <= borne && $1 > borne }
        #expect((1...20).contains(tries), "\(tries)")
    }

    @Test func moreAreTriedAgainLongAfterTooManySlowedDownAll() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 5) { Double($0) * ($0 > 3 ? 2e3 : 4e6) }
        #expect(plan.wanted == 2)
        let later = Instant.epoch.advanced(by: .seconds(620))
        _ = run(&plan, seconds: 30, from: later) { Double($0) * 4e6 }
        #expect(plan.wanted == 8)
    }

    /// The server slows down all connections until 15 s after there were more than four.
    @Test(arguments: [8, 16])
    func waitsLongerEachTimeUntilTheServerRecovers(most: Int) {
        var plan = ConnectionPlan(most: most)
        var (now, recovered) = (Instant.epoch, Instant.epoch)
        var received = 0.0
        while Instant.epoch.duration(to: now) < .seconds(120) {
            let step = plan.sampleInterval
            if plan.wanted > 4 { recovered = now.advanced(by: .seconds(15)) }
            received += Double(plan.wanted) * (now < recovered ? 3e3 : 4e6) * (step / .seconds(1))
            now = now.advanced(by: step)
            plan.sample(received: Int64(received), receiving: plan.wanted, at: now)
        }
        #expect(plan.wanted <= 4 && received > 100e6, "\(plan.wanted), \(received)")
    }

    @Test func fewerAreCheckedOnlyAFewTimesIfABurstWasTheReason() {
        var plan = ConnectionPlan(most: 16)
        let start = begin(&plan, at: 5e9)
        let wanted = run(&plan, seconds: 1_000, from: start) { Double($0) * 3e6 }
        let checks = zip(wanted, wanted.dropFirst()).count { $0 > $1 }
        #expect((1...5).contains(checks) && plan.wanted == 16, "\(checks)")
    }

    @Test func aCheckOfFewerConnectionsThatBringNothingEnds() {
        var plan = ConnectionPlan(most: 8)
        _ = run(&plan, seconds: 1) { Double($0) * ($0 > 3 ? 2e3 : 4e6) }
        let start = Instant.epoch.advanced(by: .seconds(1))
        let wanted = run(&plan, seconds: 8, from: start) { $0 > 3 ? 16e3 : 0 }
        #expect(wanted.contains(2) && plan.wanted == 8)
    }

    @Test func neverWantsMoreThanWereGranted() {
        var plan = ConnectionPlan(most: 16)
        _ = run(&plan, seconds: 1) { Double($0) * 20e6 }
        plan.refused(serving: 3)
        #expect(plan.wanted == 3)
        #expect(run(&plan, seconds: 100) { Double($0) * 20e6 }.max() == 3)
        plan.refused(serving: 0)
        #expect(plan.wanted == 1)
    }

    @Test func wantsMoreAgainWhenMoreAreServed() {
        var plan = ConnectionPlan(most: 16)
        plan.serve(3)
        #expect(run(&plan, seconds: 100) { Double($0) * 20e6 }.max() == 3)
        plan.serve(5)
        #expect(run(&plan, seconds: 100) { Double($0) * 20e6 }.max() == 5)
        plan.serve(100)
        #expect(run(&plan, seconds: 100) { Double($0) * 20e6 }.max() == 16, "-x is a limit at any speed")
        plan.serve(2)
        #expect(plan.wanted == 2)
    }

    @Test func waitsForTheBodiesItWants() {
        var plan = ConnectionPlan(most: 4)
        for second in 0..<10 as Range<Int64> {
            plan.sample(received: 0, receiving: 0, at: .epoch.advanced(by: .seconds(second)))
        }
        #expect(plan.wanted == 1)
    }

    @Test func looksForMissingBodiesLessAndLessOften() {
        var plan = ConnectionPlan(most: 4)
        var paces: [Duration] = []
        for _ in 0..<10 {
            paces.append(plan.sampleInterval)
            plan.sample(received: 0, receiving: 0, at: .epoch)
        }
        #expect(paces.first == .milliseconds(4) && paces.last == .seconds(1) && paces == paces.sorted())
    }

    @Test func measuresNoShorterThanTheServerTakesToAnswer() {
        var plan = ConnectionPlan(most: 4)
        plan.sample(received: 0, receiving: 1, at: .epoch)
        #expect(plan.sampleInterval == .milliseconds(40))
        plan.answered(after: .milliseconds(300))
        plan.answered(after: .milliseconds(100))
        #expect(plan.sampleInterval == .milliseconds(450))
        plan.answered(after: .seconds(50))
        #expect(plan.sampleInterval == .seconds(2))
        for _ in 0..<30 { plan.answered(after: .milliseconds(10)) }
        #expect(plan.sampleInterval == .milliseconds(40), "one bad moment is forgotten")
    }

    @Test func aClockThatIsSetBackDoesNoHarm() {
        var plan = ConnectionPlan(most: 4)
        _ = run(&plan, seconds: 5, from: .epoch.advanced(by: .seconds(1_000_000))) { _ in 1e6 }
        #expect(plan.wanted == 2)
        _ = run(&plan, seconds: 5) { Double($0) * 20e6 }
        #expect(plan.wanted == 4)
    }
}
