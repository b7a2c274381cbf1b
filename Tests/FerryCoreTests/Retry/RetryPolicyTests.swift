import FerryCore
import FerryTesting
import Testing

@Suite("The time of a retry")
struct RetryPolicyTests {
    private static let now = Instant(seconds: 1_700_000_000)

    /// Draws the largest number there is.
    ///
    /// The number is stored because the thread sanitizer takes the address of what is passed inout, and that of a value
    /// of no size is none: it would read wild memory.
    private struct Highest: RandomNumberGenerator {
        private var number = UInt64.max

        mutating func next() -> UInt64 { number }
    }

    static let bounds: [(Int, Int)] = [
        (0, 1), (1, 1), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (11, 300), (500, 300), (Int.max, 300),
    ]

    @Test(arguments: bounds)
    func theBoundDoublesUpToFiveMinutes(attempt: Int, seconds: Int) {
        #expect(RetryPolicy(retries: 19).bound(afterAttempt: attempt) == .seconds(seconds))
    }

    @Test(arguments: UInt64(0)..<50)
    func theDelayIsDrawnEvenlyBelowItsBound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let policy = RetryPolicy(retries: 19)
        for attempt in 1...12 {
            let bound = policy.bound(afterAttempt: attempt)
            let delays = (0..<200).map { _ in
                policy.delay(afterAttempt: attempt, retryAfter: nil, using: &random)
            }
            #expect(delays.allSatisfy { .zero <= $0 && $0 <= bound }, "seed \(seed)")
            #expect(
                delays.contains { $0 < bound / 4 } && delays.contains { $0 > bound * 3 / 4 },
                "seed \(seed)"
            )
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func aServerIsGivenTheTimeItAsksForUpToAnHourAndNotByAllAtOnce(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let policy = RetryPolicy(retries: 3)
        let cases: [(asked: Duration, least: Duration, spread: Duration)] = [
            (.seconds(120), .seconds(120), .seconds(12)), (.seconds(3600), .seconds(3600), .seconds(360)),
            (.seconds(3601), .seconds(3600), .seconds(360)),
            (.seconds(Int64.max), .seconds(3600), .seconds(360)),
            (.seconds(2), .seconds(2), .seconds(1)), (.seconds(-5), .zero, .seconds(1)),
        ]
        for (asked, least, spread) in cases {
            let delays = (0..<200).map { _ in
                policy.delay(afterAttempt: 1, retryAfter: asked, using: &random)
            }
            #expect(delays.allSatisfy { least <= $0 && $0 <= least + spread }, "seed \(seed), \(asked)")
            #expect(delays.contains { $0 < least + spread / 4 }, "seed \(seed), \(asked)")
            #expect(delays.contains { $0 > least + spread * 3 / 4 }, "seed \(seed), \(asked)")
        }
    }

    @Test func noWaitThatWasSetIsTakenForOneOfAClockThatWasWrong() {
        var random = Highest()
        for attempt in [1, 20, Int.max] {
            let delay = RetryPolicy(retries: .max).delay(
                afterAttempt: attempt,
                retryAfter: .seconds(Int64.max),
                using: &random
            )
            #expect(delay < WaitCondition.farthestRetry)
        }
    }

    static let counts: [(Int, Int)] = [(-3, 1), (0, 1), (1, 2), (19, 20), (Int.max, Int.max)]

    @Test(arguments: counts)
    func retriesAreCountedAfterTheFirstAttempt(retries: Int, attempts: Int) {
        #expect(RetryPolicy(retries: retries).attempts == attempts)
    }

    @Test func onlyAPassingFailureIsTriedAgainAndOnlySoOften() {
        var random = SeededRandom(seed: 1)
        let policy = RetryPolicy(retries: 2)
        let problem = Problem.transient(.connectionLost, "It broke.")
        for attempt in 1...2 {
            guard
                case .waiting(.retry(let at)) = policy.state(
                    after: problem,
                    attempt: attempt,
                    at: Self.now,
                    using: &random
                )
            else {
                Issue.record("attempt \(attempt) is not tried again")
                continue
            }
            #expect(Self.now <= at && at <= Self.now.advanced(by: policy.bound(afterAttempt: attempt)))
        }
        guard
            case .failed(let failure) = policy.state(after: problem, attempt: 3, at: Self.now, using: &random)
        else {
            Issue.record("the third attempt is tried again")
            return
        }
        #expect(failure.code == .attemptsExhausted && failure.cause == .connectionLost)
    }

    @Test func withoutRetriesTheFailureIsItsOwnReason() {
        var random = SeededRandom(seed: 1)
        let problem = Problem.transient(.timeout, "Nothing came.")
        let state = RetryPolicy(retries: 0).state(after: problem, attempt: 1, at: Self.now, using: &random)
        #expect(state == .failed(problem.failure))
    }

    @Test func onlyWithRetriesATransferWaitsForTheNetwork() {
        var random = SeededRandom(seed: 1)
        let away = Problem.noRoute(to: "host.example")
        let cuts = [Problem.routeLost(to: "host.example"), .leftAlone(to: "host.example")]
        for retries in [0, 1, 19] {
            let policy = RetryPolicy(retries: retries)
            let state = policy.state(after: away, attempt: 1, at: Self.now, using: &random)
            #expect(state == (retries == 0 ? .failed(away.failure) : .waiting(.network)))
            for cut in cuts {
                // The next connection shows whether there is a route.
                let next = policy.state(after: cut, attempt: 1, at: Self.now, using: &random)
                #expect(next == (retries == 0 ? .queued : .waiting(.network)))
            }
        }
    }

    @Test func aReplacedResourceEndsUnderItsOwnName() {
        var random = SeededRandom(seed: 1)
        let problem = Problem.transient(.resourceReplaced, "A login page.")
        let state = RetryPolicy(retries: 1).state(after: problem, attempt: 2, at: Self.now, using: &random)
        #expect(state == .failed(problem.failure))
    }

    @Test func aFinalFailureFailsAndAConditionWaitsWhateverTheAttempt() {
        var random = SeededRandom(seed: 1)
        let policy = RetryPolicy(retries: 0)
        let final = Problem.permanent(.notFound, "Nothing.")
        let full = Problem.condition(.diskSpace(needed: 9), .diskFull, "Full.")
        #expect(
            policy.state(after: final, attempt: 1, at: Self.now, using: &random) == .failed(final.failure)
        )
        #expect(
            policy.state(after: full, attempt: 99, at: Self.now, using: &random)
                == .waiting(.diskSpace(needed: 9))
        )
    }
}
