import FerryCore
import Testing

@Suite("Listed times")
struct ListedTimeTests {
    /// The `Last-Modified` of a response.
    private func sent(_ text: String) throws -> Instant {
        try #require(Instant(httpDate: text, now: .epoch))
    }

    private func listed(_ stamp: String) throws -> ListedTime {
        try #require(ListedTime(stamp, now: .epoch), "\(stamp)")
    }

    @Test(
        "a time with a zone is later than a response from a second before, and not than one of the same second",
        arguments: [
            "Thu, 26 Nov 2026 17:27:08 GMT 123456", "Thu, 26 Nov 2026 17:27:08 GMT -",
            "Thu, 26 Nov 2026 17:27:08 GMT", "2026-11-26T17:27:08.655252935Z 2", "2026-11-26T17:27:08Z",
            "2026-11-26T18:27:08+01:00 2",
        ]
    )
    func exact(_ stamp: String) throws {
        let time = try listed(stamp)
        for second in ["08", "09"] {
            #expect(!time.isAfter(try sent("Thu, 26 Nov 2026 17:27:\(second) GMT")))
        }
        for text in [
            "Thu, 26 Nov 2026 17:27:07 GMT", "Thu, 26 Nov 2026 17:12:08 GMT", "Thu, 26 Nov 2020 17:27:08 GMT",
        ] {
            #expect(time.isAfter(try sent(text)), "\(text)")
        }
    }

    @Test(
        "a time without a zone is compared by the minute, and may be one of another zone",
        arguments: [
            "26-Nov-2026 17:27 123456", "2026-11-26 17:27 2", "2026-Nov-26 17:27:08 0.1K text/plain",
            "2026-11-26 17:27 2 A file of 2020", "26-nov-2026 17:27",
        ]
    )
    func pages(_ stamp: String) throws {
        let time = try listed(stamp)
        for text in [
            "Thu, 26 Nov 2026 17:27:00 GMT", "Thu, 26 Nov 2026 17:27:59 GMT", "Thu, 26 Nov 2026 17:28:00 GMT",
            // The server's clock is two hours ahead, five and three quarters, or fourteen.
            "Thu, 26 Nov 2026 15:27:08 GMT", "Thu, 26 Nov 2026 11:42:08 GMT", "Thu, 26 Nov 2026 03:27:08 GMT",
        ] {
            #expect(!time.isAfter(try sent(text)), "\(text)")
        }
        for text in [
            "Thu, 26 Nov 2026 17:26:59 GMT", "Thu, 26 Nov 2026 16:20:00 GMT", "Thu, 26 Nov 2026 03:12:08 GMT",
            "Wed, 25 Nov 2026 17:27:08 GMT", "Sun, 07 Feb 1960 00:00:00 GMT",
        ] {
            #expect(time.isAfter(try sent(text)), "\(text)")
        }
    }

    @Test(
        "any other text is no time",
        arguments: [
            "", " ", "-", "123", "17:27", "26-Nov-2026", "26-Nov-2026 123456", "31-Feb-2026 17:27",
            "2026-13-01 17:27",
            "26-Foo-2026 17:27", "26-11-26 17:27", "2026-11-26 17:27:08:09", "2026-11-26 24:00",
            "2026-11-26 7:27",
            "v2 2", "\u{301}2026-11-26 17:27",
        ]
    )
    func none(_ stamp: String) {
        #expect(ListedTime(stamp, now: .epoch) == nil)
    }
}
