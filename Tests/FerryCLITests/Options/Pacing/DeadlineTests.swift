import Ferry
import FerryFrontend
import Testing

/// What `--not-after` takes.
struct DeadlineTests {
    private static let now = Instant(seconds: 1_700_000_000)

    @Test(arguments: [
        ("90m", Int64(5400)), ("2h", 7200), ("1d12h", 129_600), ("1h30m5s", 5405), ("5s", 5),
        ("2023-11-14T22:13:21Z", 1), ("2023-11-15T00:13:30+02:00", 10),
    ])
    func takesATimeFromNowOrAMoment(text: String, seconds: Int64) throws {
        let moment = try Deadline.parse(text, option: "--not-after", at: Self.now)
        #expect(Self.now.duration(to: moment) == .seconds(seconds))
    }

    /// All options that take a time with units read it alike.
    @Test(arguments: [
        ("45s", Int64?.some(45)), ("30d", 2_592_000), ("1d12h", 129_600), ("0s", 0),
        ("999999999d", 86_399_999_913_600),
        ("", nil), ("30", nil), ("d", nil), ("-1d", nil), ("12h1d", nil), ("1.5h", nil), ("1000000000s", nil),
        ("\u{0663}d", nil),
    ])
    func timesWithUnitsAreAddedUp(text: String, seconds: Int64?) throws {
        guard let seconds else {
            #expect(throws: CommandFailure.self) {
                try Seconds.parse(text, withUnit: "--older-than", example: "30d")
            }
            return
        }
        #expect(try Seconds.parse(text, withUnit: "--older-than", example: "30d") == .seconds(seconds))
    }

    @Test(arguments: [
        "", "0s", "90", "m", "-5m", "1m1h", "5m5m", "1.5h", "1w", "99999999999d", "9999d", "tomorrow",
        "2023-11-14T22:13:20Z", "2023-11-14", "1h ",
    ])
    func refusesOtherTextsAndThePast(text: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try Deadline.parse(text, option: "--not-after", at: Self.now)
        }
        #expect(failure?.status == .usage && failure?.message.contains("--not-after") == true)
    }
}
