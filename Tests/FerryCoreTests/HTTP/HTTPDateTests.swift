import FerryCore
import FerryTesting
import Testing

struct HTTPDateTests {
    private static let now = Instant(seconds: 1_790_000_000)

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 16 08:49:37 1994", 784_975_777),
        (" Sun, 06 Nov 1994 08:49:37 GMT ", 784_111_777),
        ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
        ("Fri, 30 Jun 2015 23:59:60 GMT", 1_435_708_800),
    ])
    func reads(text: String, seconds: Int64) {
        #expect(Instant(httpDate: text, now: Self.now) == Instant(seconds: seconds))
    }

    @Test(arguments: [
        "", "0", "Sun", "Sun,", "Sun, 06 Nov 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT x",
        "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
        "Sun, 29 Feb 2023 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT", "Sun, 06 Nov 99999 08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sunday Nov  6 08:49:37 1994",
        "1994-11-06T08:49:37Z",
        "Sun, 06 Nov 1994\r\n08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0",
    ])
    func refuses(text: String) {
        #expect(Instant(httpDate: text, now: Self.now) == nil)
    }

    /// A two-digit year is the latest one that lies at most 50 years ahead.
    @Test(arguments: [
        ("Sun, 01 Jan 2026 00:00:00 GMT", "76", 2076), ("Sun, 01 Jan 2026 00:00:00 GMT", "77", 1977),
        ("Sun, 01 Jan 2026 00:00:00 GMT", "00", 2000), ("Sun, 01 Jan 2026 00:00:00 GMT", "75", 2075),
        ("Fri, 01 Jan 1999 00:00:00 GMT", "05", 2005), ("Fri, 01 Jan 1999 00:00:00 GMT", "94", 1994),
        ("Fri, 01 Jan 2060 00:00:00 GMT", "05", 2105), ("Fri, 01 Jan 2060 00:00:00 GMT", "20", 2020),
    ])
    func readsTwoDigitYear(now: String, digits: String, year: Int) throws {
        let now = try #require(Instant(httpDate: now, now: .epoch))
        let read = try #require(Instant(httpDate: "Monday, 01-Jan-\(digits) 00:00:00 GMT", now: now))
        #expect(read.httpDate.contains("01 Jan \(year) "))
    }

    @Test func aDateFiftyYearsAheadIsOfTheFormerCenturyByASecond() throws {
        let now = try #require(Instant(httpDate: "Thu, 01 Jan 2026 12:00:00 GMT", now: .epoch))
        let ahead = Instant(httpDate: "Wednesday, 01-Jan-76 12:00:00 GMT", now: now)
        let beyond = Instant(httpDate: "Wednesday, 01-Jan-76 12:00:01 GMT", now: now)
        #expect(ahead?.httpDate == "Wed, 01 Jan 2076 12:00:00 GMT")
        #expect(beyond?.httpDate == "Thu, 01 Jan 1976 12:00:01 GMT")
    }

    @Test func writesWhatItReads() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<50_000 {
            let instant = Instant(seconds: .random(in: -62_167_219_200...253_402_300_799, using: &random))
            let text = instant.httpDate
            #expect(text.utf8.count == 29)
            #expect(Instant(httpDate: text, now: Self.now) == instant, "\(text)")
        }
    }

    @Test func everyDayFollowsTheOneBefore() {
        let names = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        for day in 0..<40_000 as Range<Int64> {
            let text = Instant(seconds: day * 86_400).httpDate
            #expect(text.hasPrefix(names[Int(day % 7)]))
        }
    }

    @Test func holdsFarMomentsWithinFourDigits() {
        #expect(Instant(milliseconds: .max).httpDate == "Fri, 31 Dec 9999 23:59:59 GMT")
        #expect(Instant(milliseconds: .min).httpDate == "Sat, 01 Jan 0000 00:00:00 GMT")
        #expect(Instant(milliseconds: -1).httpDate == "Wed, 31 Dec 1969 23:59:59 GMT")
        for now in [Instant(milliseconds: .min), Instant(milliseconds: .max)] {
            _ = Instant(httpDate: "Sunday, 06-Nov-94 08:49:37 GMT", now: now)
        }
    }

    @Test func neverTraps() {
        let alphabet =
            SeededRandom.soup + [
                "Sun", "Sunday", ", ", "06", " Nov ", "-Nov-", "1994", "94", " 08:49:37", " GMT",
            ]
        for seed in 0..<20_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            _ = Instant(httpDate: random.text(from: alphabet, length: 8), now: Self.now)
        }
    }
}
