import FerryCore
import Testing

@testable import Ferry

@Suite struct SpeedEstimateTests {
    private let start = Instant(seconds: 1_800_000_000)

    private func estimate(_ samples: [(milliseconds: Int, bytes: Int64)]) -> SpeedEstimate {
        var estimate = SpeedEstimate()
        for sample in samples {
            estimate.sample(sample.bytes, at: start.advanced(by: .milliseconds(sample.milliseconds)))
        }
        return estimate
    }

    @Test func knowsNothingBeforeTwoSamples() {
        #expect(estimate([]).bytesPerSecond == nil)
        #expect(estimate([(0, 1000)]).bytesPerSecond == nil)
        #expect(estimate([(0, 1000), (0, 2000)]).bytesPerSecond == nil)
        #expect(estimate([(0, 1000), (500, 2000)]).bytesPerSecond == 2000)
    }

    /// However slow the beginning was, the speed is right when the window has passed.
    @Test func forgetsWhatIsOlderThanTheWindow() throws {
        var samples: [(milliseconds: Int, bytes: Int64)] = [(0, 0), (10_000, 100)]
        for tenth in 1...40 { samples.append((10_000 + tenth * 100, 100 + Int64(tenth) * 1_000_000)) }
        let speed = try #require(estimate(samples).bytesPerSecond)
        #expect(speed == 10_000_000)
    }

    @Test func isWithinATenthAfterThreeSecondsOfASlowStart() throws {
        // Half the speed for the first 300 ms.
        var samples: [(milliseconds: Int, bytes: Int64)] = []
        for tenth in 0...30 {
            let bytes = tenth * 1_000_000 - min(tenth, 3) * 500_000
            samples.append((tenth * 100, Int64(bytes)))
        }
        let speed = try #require(estimate(samples).bytesPerSecond)
        #expect(abs(speed - 10_000_000) < 1_000_000, "\(speed)")
    }

    @Test func fallsToZeroDuringAStall() {
        var samples: [(milliseconds: Int, bytes: Int64)] = (0...20).map { ($0 * 100, Int64($0) * 1000) }
        samples += (21...60).map { ($0 * 100, 20_000) }
        #expect(estimate(samples).bytesPerSecond == 0)
    }

    @Test func beginsAnewWhenBytesAreDroppedOrTheClockIsSetBack() {
        #expect(estimate([(0, 0), (1000, 9000), (2000, 10)]).bytesPerSecond == nil)
        #expect(estimate([(0, 0), (1000, 9000), (2000, 10), (3000, 20)]).bytesPerSecond == 10)
        #expect(estimate([(1000, 0), (0, 10), (1000, 30)]).bytesPerSecond == 20)
    }

    @Test func keepsFewSamples() {
        var estimate = SpeedEstimate()
        for millisecond in 0..<20_000 {
            estimate.sample(Int64(millisecond), at: start.advanced(by: .milliseconds(millisecond)))
        }
        #expect(
            Mirror(reflecting: estimate).children.allSatisfy {
                ($0.value as? [SpeedEstimate.Sample])?.count ?? 0 < 20
            }
        )
        #expect(estimate.bytesPerSecond.map { abs($0 - 1000) < 1 } == true)
    }
}
