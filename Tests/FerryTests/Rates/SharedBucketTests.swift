import FerryCore
import Testing

@testable import Ferry

@Suite("A limit that many connections share")
struct SharedBucketTests {
    private static let mebibyte = 1 << 20

    private func limit(_ text: String) throws -> RateLimit { try RateLimit(parsing: text) }

    @Test func bytesAreNotCountedWhileTheLimitIsOff() throws {
        let bucket = SharedBucket()
        let pace = Pace([bucket, SharedBucket()])
        #expect(pace.isOff)
        #expect(pace.wait(for: pace.take(1000 * Self.mebibyte, at: .zero), at: .zero) == .zero)
        bucket.set(try limit("1K"))
        #expect(!pace.isOff)
        #expect(pace.wait(for: pace.take(1024, at: .zero), at: .zero) == .seconds(1))
        bucket.set(.off)
        #expect(pace.isOff)
    }

    /// Nothing is saved up at a rate that is no longer in force.
    @Test func aLimitAfterAPauseBeginsWithoutTokens() throws {
        let bucket = SharedBucket(try limit("10M"))
        _ = bucket.take(1, at: .zero)
        bucket.set(.off)
        bucket.set(try limit("1K"))
        let ticket = bucket.take(1024, at: .seconds(3600))
        #expect(bucket.wait(for: ticket, at: .seconds(3600)) == .seconds(1))
    }

    @Test func aConnectionThatWaitsWhenTheLimitIsLiftedOwesNothingToTheNextOne() throws {
        let bucket = SharedBucket(try limit("1K"))
        let ticket = bucket.take(Int64(Self.mebibyte), at: .zero)
        #expect(bucket.wait(for: ticket, at: .zero) == .seconds(1024))
        bucket.set(.off)
        bucket.set(try limit("2K"))
        #expect(bucket.wait(for: ticket, at: .zero) == .zero)
    }

    @Test func onlyALimitThatMakesConnectionsWaitSetsTheSpeed() throws {
        let bucket = SharedBucket(try limit("1K"))
        #expect(!bucket.setsTheSpeed)
        _ = bucket.take(Int64(Self.mebibyte), at: .zero)
        #expect(bucket.setsTheSpeed)
        bucket.set(.off)
        #expect(!bucket.setsTheSpeed)
        bucket.set(try limit("1K"))
        #expect(!bucket.setsTheSpeed)
    }
}
