import FerryCore
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import FerryIO

@Suite("How long the event loop holds a connection back")
struct PaceOnEventLoopTests {
    private let loop = EmbeddedEventLoop()
    private let limiter = ManualLimiter()

    /// Whether a hold has ended yet.
    private final class Ending: Sendable {
        private let state = Mutex(false)
        var hasCome: Bool { state.withLock { $0 } }

        init(_ future: EventLoopFuture<Void>) {
            future.whenComplete { _ in self.state.withLock { $0 = true } }
        }
    }

    private func hold(
        _ bytes: Int,
        to pace: Pace? = nil,
        while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws -> Ending {
        let future = (pace ?? Pace([limiter])).hold(bytes, on: loop, while: isWanted)
        return Ending(try #require(future))
    }

    @Test func aPartIsHeldForAsLongAsItsBytesLastAtTheRate() throws {
        limiter.set(try RateLimit(parsing: "1M"))
        let first = try hold(1 << 20)
        let second = try hold(1 << 19)
        loop.advanceTime(by: .milliseconds(999))
        #expect(!first.hasCome)
        loop.advanceTime(by: .milliseconds(1))
        #expect(first.hasCome && !second.hasCome)
        loop.advanceTime(by: .milliseconds(499))
        #expect(!second.hasCome)
        loop.advanceTime(by: .milliseconds(1))
        #expect(second.hasCome)
    }

    @Test func nothingIsHeldWithoutALimitOrWithoutALimiter() {
        #expect(Pace([limiter]).hold(.max, on: loop, while: { true }) == nil)
        #expect(Pace().hold(.max, on: loop, while: { true }) == nil)
        #expect(limiter.taken == .max)
    }

    @Test func aLimitThatIsLiftedIsNoticedWithinAQuarterOfASecond() throws {
        limiter.set(try RateLimit(parsing: "1K"))
        let held = try hold(1 << 20)
        loop.advanceTime(by: .seconds(60))
        #expect(!held.hasCome)
        limiter.set(.off)
        loop.advanceTime(by: .milliseconds(250))
        #expect(held.hasCome)
    }

    @Test func theSlowestOfSeveralLimitersDecides() throws {
        let other = ManualLimiter(try RateLimit(parsing: "1K"))
        limiter.set(try RateLimit(parsing: "1M"))
        let ending = try hold(10_240, to: Pace([limiter, other]))
        loop.advanceTime(by: .milliseconds(9999))
        #expect(!ending.hasCome)
        loop.advanceTime(by: .milliseconds(1))
        #expect(ending.hasCome)
    }

    @Test func nobodyIsHeldForABodyThatIsNotWantedAnyMore() throws {
        limiter.set(try RateLimit(parsing: "1K"))
        let held = try hold(1 << 20) { false }
        #expect(held.hasCome)
        #expect(limiter.taken == 1 << 20, "it came all the same")
    }

    @Test func aLoopThatEndsLetsEverybodyGo() throws {
        limiter.set(try RateLimit(parsing: "1K"))
        let held = try hold(1 << 20)
        try loop.syncShutdownGracefully()
        #expect(held.hasCome)
    }

    @Test func readsAreSmallUnderASmallLimitOnly() throws {
        let pace = Pace([ManualLimiter(), limiter])
        #expect(pace.portion(of: 524_288) == 524_288)
        for (rate, bytes) in [("1K", 4096), ("1M", 65_536), ("100M", 524_288), ("8191P", 524_288)] {
            limiter.set(try RateLimit(parsing: rate))
            #expect(pace.portion(of: 524_288) == bytes)
            #expect(pace.portion(of: 1000) == 1000)
        }
    }
}
