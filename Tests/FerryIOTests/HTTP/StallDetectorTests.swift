import FerryCore
import NIOCore
import Testing

@testable import FerryIO

@Suite("Giving up on a stalled server")
struct StallDetectorTests {
    private func detector(idle: Duration = .seconds(60), limit: Int64? = 0) -> StallDetector {
        var options = ConnectionOptions()
        options.idleTimeout = idle
        options.lowSpeedLimit = limit
        options.lowSpeedTime = .seconds(10)
        return StallDetector(options)
    }

    private func at(_ seconds: Int64) -> NIODeadline {
        .uptimeNanoseconds(1_000_000_000_000) + .seconds(seconds)
    }

    @Test func silenceIsCountedFromWhenWeBeganToWait() {
        var detector = detector()
        detector.wait(from: at(0))
        #expect(detector.nextCheck(after: at(0)) == at(60))
        #expect(detector.check(at: at(59)) == nil)
        #expect(detector.check(at: at(60)) == .silent)
    }

    @Test func anyByteBeginsTheCountAgain() {
        var detector = detector()
        detector.wait(from: at(0))
        detector.received(1, at: at(50))
        detector.wait(from: at(50))
        #expect(detector.check(at: at(60)) == nil)
        #expect(detector.nextCheck(after: at(60)) == at(110))
        #expect(detector.check(at: at(110)) == .silent)
    }

    @Test func aServerThatTakesBytesHasItsTimeAgain() {
        var detector = detector(limit: 1000)
        detector.extend(from: at(0))
        #expect(detector.check(at: at(1000)) == nil, "no wait was under way")
        detector.wait(from: at(1000))
        detector.extend(from: at(1009))
        #expect(detector.check(at: at(1018)) == nil)
        #expect(detector.check(at: at(1019)) == .slow)
        #expect(detector.check(at: at(1069)) == .silent)
    }

    @Test func timeInWhichWeHoldTheServerBackIsNotCounted() {
        var detector = detector(limit: 1000)
        detector.wait(from: at(0))
        detector.received(1, at: at(1))
        #expect(detector.check(at: at(10_000)) == nil)
        #expect(detector.nextCheck(after: at(10_000)) == at(10_009))
        detector.wait(from: at(10_000))
        #expect(detector.check(at: at(10_008)) == nil)
        #expect(detector.check(at: at(10_009)) == .slow)
    }

    @Test func zeroMeansNoTimeout() {
        var detector = detector(idle: .zero)
        detector.wait(from: at(0))
        #expect(detector.nextCheck(after: at(0)) == nil)
        #expect(detector.check(at: at(1_000_000)) == nil)
    }

    @Test func speedIsJudgedOverTheWholeWindow() {
        var detector = detector(limit: 1000)
        for second in 0..<10 {
            detector.wait(from: at(Int64(second)))
            #expect(detector.check(at: at(Int64(second))) == nil)
            detector.received(second == 0 ? 10_000 : 0, at: at(Int64(second) + 1))
        }
        detector.wait(from: at(10))
        #expect(detector.check(at: at(10)) == nil, "10,000 bytes in 10 s are enough")
        for second in 10..<20 {
            detector.received(second == 10 ? 9999 : 0, at: at(Int64(second) + 1))
            detector.wait(from: at(Int64(second) + 1))
        }
        #expect(detector.check(at: at(20)) == .slow, "9,999 are not")
    }

    @Test func windowCountsAFastAnswerOnce() {
        var detector = detector(limit: 1000)
        detector.wait(from: at(0))
        detector.received(1_000_000, at: at(5))
        detector.wait(from: at(5))
        #expect(detector.check(at: at(10)) == nil)
        #expect(detector.check(at: at(20)) == .slow, "bytes of a former window do not excuse this one")
    }

    @Test func hugeLimitsDoNotOverflow() {
        var options = ConnectionOptions()
        options.lowSpeedLimit = .max
        options.lowSpeedTime = .seconds(Int64.max)
        options.idleTimeout = .seconds(Int64.max)
        var detector = StallDetector(options)
        detector.wait(from: at(0))
        #expect(detector.check(at: at(1_000_000)) == nil)
    }

    // MARK: The floor

    /// Feeds a body with these numbers of bytes per second, and returns the second at which the server is given up.
    private func verdict(
        _ options: ConnectionOptions,
        bytesASecond: Int,
        for seconds: Int64
    ) -> (verdict: StallDetector.Verdict, after: Int64)? {
        var detector = StallDetector(options)
        detector.wait(from: at(0))
        detector.restart()
        for second in 0..<seconds {
            detector.wait(from: at(second))
            if let verdict = detector.check(at: at(second)) { return (verdict, second) }
            if bytesASecond > 0 { detector.received(bytesASecond, at: at(second + 1)) }
        }
        return nil
    }

    @Test func aBodyThatDripsIsGivenUpUnlessToldOtherwise() {
        let options = ConnectionOptions()
        #expect(verdict(options, bytesASecond: 1, for: 1000)?.verdict == .slow)
        #expect(verdict(options, bytesASecond: 1, for: 1000)?.after == 60)
        #expect(verdict(options, bytesASecond: 29, for: 1000)?.verdict == .slow)
    }

    @Test(arguments: [30, 75, 3000])
    func aLineThatIsHonestlySlowIsNot(bytesASecond: Int) {
        #expect(verdict(ConnectionOptions(), bytesASecond: bytesASecond, for: 10_000) == nil)
    }

    @Test func zeroTurnsTheFloorOff() {
        var options = ConnectionOptions()
        options.lowSpeedLimit = 0
        #expect(verdict(options, bytesASecond: 1, for: 10_000) == nil)
    }

    @Test func whoeverWaitsForEverHasNoFloor() {
        var options = ConnectionOptions()
        options.idleTimeout = .zero
        #expect(verdict(options, bytesASecond: 1, for: 10_000) == nil)
    }

    @Test(arguments: [(1, 60), (600, 600)] as [(Int64, Int64)])
    func theFloorIsJudgedOverTheTimeoutButNeverLessThanAMinute(timeout: Int64, after: Int64) {
        var options = ConnectionOptions()
        options.idleTimeout = .seconds(timeout)
        var detector = StallDetector(options)
        detector.restart()
        // Ten bytes a second in small bits, so that the timeout itself never fires.
        for tick in 0..<(after * 10) {
            detector.wait(from: at(0) + .milliseconds(tick * 100))
            #expect(detector.check(at: at(0) + .milliseconds(tick * 100)) == nil)
            detector.received(1, at: at(0) + .milliseconds((tick + 1) * 100))
        }
        detector.wait(from: at(after))
        #expect(detector.check(at: at(after)) == .slow)
    }

    @Test func theWaitForTheHeadIsNoPartOfTheSpeed() {
        var detector = StallDetector(ConnectionOptions())
        detector.wait(from: at(0))
        detector.restart()
        detector.wait(from: at(59))
        #expect(detector.check(at: at(61)) == nil, "the body has had two seconds")
        #expect(detector.nextCheck(after: at(61)) == at(119))
    }

    @Test func theFloorDoesNotFireUnderOurOwnLimit() {
        // 10 bytes a second by our own will: the server is waited for only for moments.
        var detector = StallDetector(ConnectionOptions())
        detector.restart()
        for second in stride(from: 0 as Int64, to: 10_000, by: 10) {
            detector.wait(from: at(second))
            #expect(detector.check(at: at(second)) == nil)
            detector.received(100, at: at(second) + .milliseconds(1))
        }
    }
}
