import FerryTesting
import Testing

@testable import FerryCore

@Suite("The expiry of a signed URL")
struct HTTPURLExpiryTests {
    private static func expiry(_ query: String) throws -> Instant? {
        try HTTPURL(parsing: "https://bucket.example/key?\(query)").expiry
    }

    private static let moment = Instant(timestamp: "2013-05-25T00:00:00Z")!

    @Test(
        "the form of each store is read",
        arguments: [
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-Signature=a",
            "x-amz-signature=a&x-amz-expires=86400&x-amz-date=20130524T000000Z",
            "x-oss-date=20130524T000000Z&x-oss-expires=86400&x-oss-signature=a",
            "X-Goog-Date=20130524T000000Z&X-Goog-Expires=86400&X-Goog-Signature=a",
            "AWSAccessKeyId=a&Expires=1369440000&Signature=b",
            "OSSAccessKeyId=a&Expires=1369440000&Signature=b",
            "GoogleAccessId=a&Expires=1369440000&Signature=b", "Key-Pair-Id=a&Expires=1369440000&Signature=b",
            "sv=2022-11-02&sr=b&sp=r&se=2013-05-25T00%3A00%3A00Z&sig=a", "sv=2022-11-02&se=2013-05-25&sig=a",
            "sv=2022-11-02&se=2013-05-25T00:00Z&sig=a", "sv=2022-11-02&se=2013-05-25T00:00:00.0000000Z&sig=a",
            // The earliest counts.
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-Signature=a&Expires=1999999999&Signature=b",
        ]
    )
    func everyStore(query: String) throws {
        #expect(try Self.expiry(query) == Self.moment)
    }

    @Test(
        "what is not signed, or has no moment, has no expiry",
        arguments: [
            "", "a=b", "Expires=1369440000", "se=2013-05-25T00:00:00Z",
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400",
            "X-Amz-Expires=86400&X-Amz-Signature=a", "X-Amz-Date=20130524T000000Z&X-Amz-Signature=a",
            "X-Amz-Date=20131324T000000Z&X-Amz-Expires=86400&X-Amz-Signature=a",
            "X-Amz-Date=20130524T000000&X-Amz-Expires=86400&X-Amz-Signature=a",
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=-1&X-Amz-Signature=a",
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=1&X-Amz-Expires=2&X-Amz-Signature=a",
            "AWSAccessKeyId=a&Expires=tomorrow&Signature=b",
            "AWSAccessKeyId=a&Expires=136944000000000&Signature=b",
            "sv=2022-11-02&se=soon&sig=a",
        ]
    )
    func none(query: String) throws {
        #expect(try Self.expiry(query) == nil)
    }

    @Test("drawn moments and lifetimes are read, in any order of the parameters and in any case")
    func drawn() throws {
        for seed in 0..<500 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let begin = Instant(seconds: Int64.random(in: 0...4_000_000_000, using: &random))
            let life = Int64.random(in: 1...604_800, using: &random)
            let date = CivilDate(begin)
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let compact =
                "\(date.year)\(two(date.month))\(two(date.day))T\(two(date.hour))\(two(date.minute))\(two(date.second))Z"
            let prefix = ["X-Amz-", "x-oss-", "X-Goog-"].randomElement(using: &random)!
            let query = [
                "\(prefix)Date=\(compact)", "\(prefix)Expires=\(life)", "\(prefix)Signature=a", "other=1",
            ]
            .shuffled(using: &random).joined(separator: "&")
            #expect(try Self.expiry(query) == begin.advanced(by: .seconds(life)), "seed \(seed): \(query)")
        }
    }

    @Test("drawn damage never traps, and gives nothing or a moment")
    func damaged() throws {
        let whole = Array(
            "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-Signature=a&Expires=1&se=2".utf8
        )
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var bytes = whole
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0x21...0x7E,
                    using: &random
                )
            }
            guard let url = try? HTTPURL(parsing: "https://b.example/k?" + bytes.text) else { continue }
            if let moment = url.expiry { #expect(url.isSigned && moment >= .epoch, "seed \(seed)") }
        }
    }
}
