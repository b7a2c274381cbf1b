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
