import FerryCore
import FerryTesting
import Testing

struct TokenBucketTests {
    static let mebibyte: Int64 = 1 << 20

    private static func limit(_ bytes: Int64) throws -> RateLimit { try RateLimit(bytesPerSecond: bytes) }

    @Test func whatCameWaitsForItsTokensAndTheNextOneBehindIt() throws {
        var bucket = TokenBucket(try Self.limit(Self.mebibyte))
        let first = bucket.take(Self.mebibyte / 2, at: .seconds(100))
        let second = bucket.take(Self.mebibyte / 4, at: .seconds(100))
        #expect(bucket.wait(for: first, at: .seconds(100)) == .milliseconds(500))
        #expect(bucket.wait(for: second, at: .seconds(100)) == .milliseconds(750))
        #expect(bucket.wait(for: first, at: .milliseconds(100_500)) == .zero)
        #expect(bucket.wait(for: second, at: .milliseconds(100_500)) == .milliseconds(250))
        #expect(bucket.wait(for: second, at: .milliseconds(100_750)) == .zero)
    }

    @Test func aBucketBeginsEmptyAndSavesABurstOnly() throws {
        var bucket = TokenBucket(try Self.limit(Self.mebibyte))
        let first = bucket.take(Self.mebibyte, at: .zero)
        #expect(bucket.wait(for: first, at: .zero) == .seconds(1))
        let late = bucket.take(Self.mebibyte, at: .seconds(3600))
        #expect(bucket.wait(for: late, at: .seconds(3600)) == .seconds(1) - TokenBucket.burst)
    }

    @Test func withoutALimitNothingWaitsAndNothingIsOwedAfterwards() throws {
        var bucket = TokenBucket()
        let free = bucket.take(.max, at: .zero)
        #expect(bucket.wait(for: free, at: .zero) == .zero)
        bucket.change(to: try Self.limit(1024), at: .zero)
        #expect(bucket.wait(for: free, at: .zero) == .zero)
        #expect(bucket.wait(for: bucket.take(1024, at: .zero), at: .zero) == .seconds(1))
    }

    @Test func aLimitThatIsLiftedLetsGoOfThoseWhoWait() throws {
        var bucket = TokenBucket(try Self.limit(1024))
        let ticket = bucket.take(Self.mebibyte, at: .zero)
        #expect(bucket.wait(for: ticket, at: .seconds(1)) == .seconds(1023))
        bucket.change(to: try Self.limit(Self.mebibyte), at: .seconds(1))
        #expect(bucket.wait(for: ticket, at: .seconds(1)) < .seconds(1))
        bucket.change(to: .off, at: .seconds(1))
        #expect(bucket.wait(for: ticket, at: .seconds(1)) == .zero)
    }

    @Test func aLimitThatIsLoweredMakesNobodyWaitLongerForWhatHasCome() throws {
        var bucket = TokenBucket(try Self.limit(10 * Self.mebibyte))
        let ticket = bucket.take(Self.mebibyte, at: .zero)
        let before = bucket.wait(for: ticket, at: .zero)
        bucket.change(to: try Self.limit(1024), at: .zero)
        let after = bucket.wait(for: ticket, at: .zero)
        #expect(after <= before + .milliseconds(1) && after > before / 2)
    }

    @Test func aClockThatRunsBackwardsGrantsNothingAndTakesNothing() throws {
        var bucket = TokenBucket(try Self.limit(1024))
        let ticket = bucket.take(2048, at: .seconds(50))
        #expect(bucket.wait(for: ticket, at: .seconds(51)) == .seconds(1))
        #expect(bucket.wait(for: ticket, at: .zero) == .seconds(1))
        #expect(bucket.wait(for: ticket, at: .seconds(51)) == .seconds(1))
        #expect(bucket.wait(for: ticket, at: .seconds(52)) == .zero)
    }

    @Test func theLargestNumbersDoNotOverflow() throws {
        var bucket = TokenBucket(try Self.limit(.max))
        for now in [Duration.seconds(Int64.min), .zero, .nanoseconds(Int64.max), .seconds(Int64.max)] {
            let ticket = bucket.take(.max, at: now)
            #expect(bucket.wait(for: ticket, at: now) >= .zero)
            bucket.change(to: try Self.limit(1024), at: now)
            #expect(bucket.wait(for: ticket, at: now) >= .zero)
            bucket.change(to: try Self.limit(.max), at: now)
        }
        var slow = TokenBucket(try Self.limit(1024))
        let ticket = slow.take(.max, at: .zero)
        #expect(slow.wait(for: ticket, at: .zero) > .seconds(86_400 * 365))
    }

    // MARK: What sets the speed

    /// Lets a server send `bytes` at each interval, and returns at how many of them the rate set the speed.
    private func takes(
        _ bytes: Int64,
        each interval: Duration,
        _ count: Int,
        from start: Duration = .zero,
        in bucket: inout TokenBucket
    ) -> Int {
        (1...count).count { step in
            _ = bucket.take(bytes, at: start + interval * step)
            return bucket.setsTheSpeed
        }
    }

    @Test func aBurstAtTheBeginningIsNotTakenForTheSpeed() throws {
        var bucket = TokenBucket(try Self.limit(8 * Self.mebibyte))
        _ = bucket.take(Self.mebibyte, at: .zero)
        #expect(bucket.setsTheSpeed, "nothing else is known yet")
        let held = takes(65_536, each: .milliseconds(64), 100, in: &bucket)
        #expect(held <= 2)
        #expect(!bucket.setsTheSpeed)
    }

    @Test func burstsBelowTheRateDoNotMakeItSetTheSpeed() throws {
        var bucket = TokenBucket(try Self.limit(8 * Self.mebibyte))
        _ = takes(4 * Self.mebibyte, each: .seconds(1), 2, in: &bucket)
        let held = takes(4 * Self.mebibyte, each: .seconds(1), 20, from: .seconds(2), in: &bucket)
        #expect(held == 0)
    }

    @Test(arguments: [1, 4, 16, 64] as [Int64])
    func aRateThatIsUsedUpSetsTheSpeed(portions: Int64) throws {
        var bucket = TokenBucket(try Self.limit(8 * Self.mebibyte))
        // Each read waits for its tokens, and timers are late.
        var now = Duration.zero
        for step in 0..<200 {
            let ticket = bucket.take(8 * Self.mebibyte / portions, at: now)
            #expect(bucket.setsTheSpeed, "take \(step)")
            now += bucket.wait(for: ticket, at: now) + .milliseconds(1)
        }
    }

    @Test func aRateThatWasReachedDoesNotSetTheSpeedLongerThanTwoSeconds() throws {
        var bucket = TokenBucket(try Self.limit(Self.mebibyte))
        let portion = Self.mebibyte / 16
        let held = takes(portion, each: .milliseconds(62), 100, in: &bucket)
        #expect(held == 100)
        let start = Duration.milliseconds(6_200)
        _ = takes(portion, each: .milliseconds(200), 10, from: start, in: &bucket)
        #expect(!bucket.setsTheSpeed)
    }

    @Test func anotherRateIsJudgedAnew() throws {
        var bucket = TokenBucket(try Self.limit(1024))
        _ = bucket.take(Self.mebibyte, at: .zero)
        bucket.change(to: try Self.limit(Self.mebibyte), at: .seconds(1))
        #expect(!bucket.setsTheSpeed)
        bucket.change(to: .off, at: .seconds(1))
        _ = bucket.take(Self.mebibyte, at: .seconds(2))
        #expect(!bucket.setsTheSpeed)
    }

    // MARK: Many connections

    /// Connections that read, write and wait as the transport does, each at its own speed, in simulated time.
    private struct Crowd {
        var bucket: TokenBucket
        var random: SeededRandom
        var now: Duration = .zero
        var passed: [Int64]
        /// When each may read again.
        var ready: [Duration]
        let portion: Int64

        init(_ limit: RateLimit, connections: Int, portion: Int64, seed: UInt64) {
            bucket = TokenBucket(limit)
            random = SeededRandom(seed: seed)
            passed = Array(repeating: 0, count: connections)
            ready = Array(repeating: .zero, count: connections)
            self.portion = portion
        }

        /// Lets `duration` pass, and returns how many bytes came meanwhile.
        mutating func run(for duration: Duration) -> Int64 {
            let end = now + duration
            let before = passed.reduce(0, +)
            while let next = ready.indices.min(by: { ready[$0] < ready[$1] }), ready[next] < end {
                now = max(now, ready[next])
                let bytes = Int64.random(in: 1...portion, using: &random)
                passed[next] += bytes
                let ticket = bucket.take(bytes, at: now)
                let wait = bucket.wait(for: ticket, at: now)
                // The network takes some time, and timers are never quite on time.
                let network = Duration.nanoseconds(bytes / 100)
                ready[next] = now + wait + network + .microseconds(Int64.random(in: 1...2000, using: &random))
            }
            now = end
            return passed.reduce(0, +) - before
        }
    }

    @Test func theRateIsKeptOverTimeWhateverTheNumberOfConnectionsAndTheSizeOfTheirReads() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let rate = Int64(1) << Int64.random(in: 13...26, using: &random)
            let connections = Int.random(in: 1...20, using: &random)
            let portion = min(524_288, max(4096, rate / 16))
            var crowd = Crowd(try Self.limit(rate), connections: connections, portion: portion, seed: seed)
            _ = crowd.run(for: .seconds(20))
            let share = Double(crowd.run(for: .seconds(200))) / Double(200 * rate)
            #expect(abs(share - 1) < 0.02, "seed \(seed): \(share) of \(rate), \(connections) connections")
        }
    }

    @Test func theRateIsKeptWhenItChangesAgainAndAgain() throws {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var crowd = Crowd(try Self.limit(65_536), connections: 4, portion: 16_384, seed: seed)
            var allowed: Int64 = 0
            var came: Int64 = 0
            for _ in 0..<20 {
                let rate = Int64.random(in: 65_536...1_048_576, using: &random)
                crowd.bucket.change(to: try Self.limit(rate), at: crowd.now)
                let seconds = Int64.random(in: 5...30, using: &random)
                came += crowd.run(for: .seconds(seconds))
                allowed += seconds * rate
            }
            let share = Double(came) / Double(allowed)
            #expect(abs(share - 1) < 0.02, "seed \(seed): \(share)")
        }
    }

    @Test func thoseWhoShareABucketGetAboutTheSame() throws {
        var crowd = Crowd(try Self.limit(Self.mebibyte), connections: 8, portion: 65_536, seed: 1)
        let all = crowd.run(for: .seconds(600))
        for passed in crowd.passed {
            let share = Double(passed) * 8 / Double(all)
            #expect(abs(share - 1) < 0.1, "\(crowd.passed)")
        }
    }

    @Test func noMoreEverComesThanTheRateAndOneReadOfEach() throws {
        for seed in 0..<20 as Range<UInt64> {
            var crowd = Crowd(try Self.limit(Self.mebibyte), connections: 3, portion: 65_536, seed: seed)
            var came: Int64 = 0
            for tenth in 1...300 as ClosedRange<Int64> {
                came += crowd.run(for: .milliseconds(100))
                #expect(
                    came <= Self.mebibyte * tenth / 10 + 4 * 65_536,
                    "seed \(seed), after \(tenth) tenths"
                )
            }
        }
    }
}
