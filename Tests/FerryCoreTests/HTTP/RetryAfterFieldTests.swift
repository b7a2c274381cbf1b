import FerryCore
import HTTPTypes
import Testing

struct RetryAfterFieldTests {
    private static let now = Instant(seconds: 1_790_000_000)

    @Test(arguments: [
        ("0", Duration.zero), ("1", .seconds(1)), (" 120 ", .seconds(120)), ("3600", .seconds(3600)),
        ("3601", .seconds(3600)), ("1000000000000", .seconds(3600)),
        ("99999999999999999999999999", .seconds(3600)),
        ("Thu, 01 Jan 1970 00:00:00 GMT", .zero), ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(3600)),
        ("Thu Jan  1 00:00:00 1970", .zero),
    ])
    func waitsWithinBounds(text: String, expected: Duration) {
        #expect(RetryAfter(text, now: Self.now)?.delay(at: Self.now, atMost: .seconds(3600)) == expected)
    }

    @Test(arguments: [
        "", "-1", "+1", "1.5", "1s", "1, 2", "0x10", "soon", "1 2", "١", "-9223372036854775808",
    ])
    func refuses(text: String) {
        #expect(RetryAfter(text, now: Self.now) == nil)
    }

    @Test func waitsUntilADate() throws {
        let date = Self.now.advanced(by: .seconds(90))
        let parsed = try #require(RetryAfter(date.httpDate, now: Self.now))
        #expect(parsed == .date(date))
        #expect(parsed.delay(at: Self.now, atMost: .seconds(3600)) == .seconds(90))
        #expect(parsed.delay(at: Self.now.advanced(by: .seconds(60)), atMost: .seconds(3600)) == .seconds(30))
    }

    @Test func waitsAsTheFieldsOfAnAnswerAskUpToAnHour() {
        let fields: [(HTTPFields, Duration?)] = [
            ([:], nil), ([.retryAfter: "soon"], nil), ([.retryAfter: "5"], .seconds(5)),
            ([.retryAfter: "7200"], .seconds(3600)),
            ([.retryAfter: Self.now.advanced(by: .seconds(9)).httpDate], .seconds(9)),
        ]
        for (fields, expected) in fields {
            #expect(RetryAfter.wait(askedBy: fields, at: Self.now) == expected)
        }
    }

    @Test func neverWaitsLessThanZeroOrMoreThanAllowed() {
        let limits: [Duration] = [.seconds(-5), .zero, .milliseconds(1), .seconds(3600)]
        let texts = [
            "0", "5", "99999999999999999999", "Thu, 01 Jan 1970 00:00:00 GMT",
            "Fri, 31 Dec 9999 23:59:59 GMT",
        ]
        for now in [Instant(milliseconds: .min), .epoch, Self.now, Instant(milliseconds: .max)] {
            for text in texts {
                for limit in limits {
                    let delay = RetryAfter(text, now: now)?.delay(at: now, atMost: limit)
                    #expect(delay.map { $0 >= .zero && $0 <= max(limit, .zero) } ?? false)
                }
            }
        }
    }
}
