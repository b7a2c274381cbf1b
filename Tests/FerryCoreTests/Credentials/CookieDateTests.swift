import FerryCore
import Testing

/// RFC 6265 §5.1.1.
@Suite struct CookieDateTests {
    /// 1994-11-06 08:49:37 UTC.
    private static let moment = Instant(seconds: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "6 nov 1994 08:49:37", "06/Nov/1994 8:49:37", "NOVEMBER 6 1994, 08:49:37",
        "08:49:37 6 November 1994", "1994 Nov 6 08:49:37", "Sun, 06-Nov-1994 08:49:37 GMT",
        "  Sun,\t06\tNov\t1994\t08:49:37  ", "\"Sun, 06 Nov 1994 08:49:37\"", "6th Nov 1994 08:49:37",
        "06 Nov 1994AD 08:49:37", "06 Nov 94 08:49:37.123 GMT", "06 Nov 94 08:49:37z",
        "Sun, 06 Nov 1994 08:49:37 +0200", "Mon, 06 Nov 1994 08:49:37 PST",
        "06;Nov;1994[08:49:37]", "Thu Sun 06 Nov Dec 1994 08:49:37 10:00:00 2001",
    ])
    func readsTheSameMomentInEveryForm(_ text: String) {
        #expect(CookieDate.instant(parsing: text) == Self.moment)
    }

    @Test(
        arguments: [
            ("1 Jan 70 00:00:00", 0), ("1 Jan 69 00:00:00", 3_124_224_000),
            ("1 Jan 00 00:00:00", 946_684_800),
            ("31 Dec 99 23:59:59", 946_684_799), ("29 Feb 2000 0:0:0", 951_782_400),
            ("1 Jan 1601 00:00:00", -11_644_473_600), ("1 Jan 0070 00:00:00", 0),
            ("31 Dec 9999 23:59:59", 253_402_300_799), ("1 Jan 070 00:00:00", 0),
        ] as [(String, Int64)]
    )
    func givesShortYearsTheirCentury(_ text: String, _ seconds: Int64) {
        #expect(CookieDate.instant(parsing: text) == Instant(seconds: seconds))
    }

    @Test(arguments: [
        "", "0", "-1", "Session", "tomorrow", "Sun, 06 Nov 1994", "06 Nov 08:49:37", "Nov 1994 08:49:37",
        "06 1994 08:49:37", "06 Nov 1994 08:49", "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00",
        "06 Nov 1994 08:49:60", "06 Nov 1994 08:49:370", "32 Nov 1994 08:49:37", "0 Nov 1994 08:49:37",
        "31 Nov 1994 08:49:37", "29 Feb 1900 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19944 08:49:37",
        "006 Nov 1994 08:49:37", "06 Noo 1994 08:49:37", "06 No 1994 08:49:37", "06 N\u{F6}v 1994 08:49:37",
        "06 Nov 1994 \u{660}8:49:37", "99999999999999999999 Nov 1994 08:49:37", "1994-11-06T08:49:37Z",
    ])
    func readsNothingElse(_ text: String) {
        #expect(CookieDate.instant(parsing: text) == nil)
    }
}
