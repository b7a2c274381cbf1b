import FerryCore
import NIOCore
import Testing

@testable import FerryIO

@Suite("When a server is given up")
struct StallDetectorTests {
    private func detector(idle: Duration = .seconds(60), limit: Int64? = nil) -> StallDetector {
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
}
