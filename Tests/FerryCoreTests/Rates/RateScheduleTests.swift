import FerryCore
import FerryTesting
import Testing

struct RateScheduleTests {
    static let timetable = "08:00,1M 12:30,off 19:00,2M"

    private func moment(_ weekday: Int, _ hour: Int, _ minute: Int = 0, _ second: Int = 0) -> WeekTime {
        WeekTime(weekday: weekday, secondOfDay: hour * 3600 + minute * 60 + second)
    }

    @Test func oneLimitHoldsAlways() throws {
        let schedule = try RateSchedule(parsing: "1.5 MiB/s")
        #expect(schedule.limit(at: moment(3, 12)) == (try RateLimit(parsing: "1.5M")))
        #expect(schedule.nextChange(after: moment(3, 12)) == nil)
        #expect(try RateSchedule(parsing: "off") == .off)
    }

    @Test(
        arguments: [
            (0, 0, 0, "2M", 8 * 3600), (0, 7, 59, "2M", 60), (0, 8, 0, "1M", 4 * 3600 + 1800),
            (3, 12, 29, "1M", 60), (3, 12, 30, "off", 6 * 3600 + 1800), (6, 19, 0, "2M", 13 * 3600),
            (6, 23, 59, "2M", 8 * 3600 + 60),
        ] as [(Int, Int, Int, String, Int)]
    )
    func theLimitOfATimeOfDayHoldsUntilTheNext(
        weekday: Int,
        hour: Int,
        minute: Int,
        limit: String,
        seconds: Int
    ) throws {
        let schedule = try RateSchedule(parsing: Self.timetable)
        let moment = moment(weekday, hour, minute)
        #expect(schedule.limit(at: moment) == (try RateLimit(parsing: limit)))
        #expect(schedule.nextChange(after: moment) == .seconds(seconds))
    }

    @Test func daysOfTheWeekHoldOverItsEnd() throws {
        let schedule = try RateSchedule(parsing: "mon-08:00,1M\tFriday-18:00,off")
        #expect(schedule.limit(at: moment(0, 12)) == .off, "Sunday is after Friday")
        #expect(schedule.limit(at: moment(1, 7, 59, 59)) == .off)
        #expect(schedule.limit(at: moment(1, 8)) == (try RateLimit(parsing: "1M")))
        #expect(schedule.nextChange(after: moment(5, 18)) == .seconds(62 * 3600))
        #expect(schedule.nextChange(after: moment(1, 7, 59, 59)) == .seconds(1))
    }

    @Test func aChangeToTheSameLimitIsNone() throws {
        #expect(try RateSchedule(parsing: "08:00,1M 19:00,1M").nextChange(after: moment(0, 0)) == nil)
        let schedule = try RateSchedule(parsing: "08:00,1M 12:00,1M 19:00,off")
        #expect(schedule.nextChange(after: moment(0, 9)) == .seconds(10 * 3600))
    }

    @Test(arguments: [
        "08:00,1M,2M", ",1M", "8,1M", "08:0,1M", "24:00,1M", "08:60,1M", "008:00,1M", "Day-08:00,1M",
        "-08:00,1M",
        "Mon-Tue-08:00,1M", "08:00,", "08:00,fast", "08:00 ,1M", "08:00,1M 19:00", "1M,", "M-08:00,1M", " , ",
    ])
    func refuses(text: String) {
        #expect(throws: RateSchedule.ParseError.self) { try RateSchedule(parsing: text) }
    }

    @Test func aMomentThatIsThereTwiceIsRefused() {
        for text in ["08:00,1M 8:00,2M", "Mon-08:00,1M 08:00,2M"] {
            #expect(throws: RateSchedule.ParseError.momentTwice) { try RateSchedule(parsing: text) }
        }
    }

    @Test func theClocksOnTheWallAreThoseOfTheTimeZone() throws {
        // 2023-11-14T22:13:20Z is a Tuesday.
        let instant = Instant(milliseconds: 1_700_000_000_999)
        #expect(WeekTime(instant, offset: .zero) == moment(2, 22, 13, 20))
        #expect(WeekTime(instant, offset: .seconds(2 * 3600)) == moment(3, 0, 13, 20))
        #expect(WeekTime(instant, offset: .seconds(-23 * 3600)) == moment(1, 23, 13, 20))
        #expect(WeekTime(Instant(milliseconds: -1), offset: .zero) == moment(3, 23, 59, 59))
    }

    @Test func theNextChangeIsTheFirstMomentWithAnotherLimit() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let words = (0..<Int.random(in: 1...5, using: &random)).map { place in
                let day = ["", "Sun-", "Mon-", "Sat-"].randomElement(using: &random) ?? ""
                let limit = ["1M", "2M", "off"].randomElement(using: &random) ?? ""
                return "\(day)\(Int.random(in: 0...23, using: &random)):0\(place),\(limit)"
            }
            let schedule = try RateSchedule(parsing: words.joined(separator: " "))
            let start = Int.random(in: 0..<7 * 1440, using: &random)
            func limit(_ minute: Int) -> RateLimit {
                schedule.limit(at: WeekTime(weekday: minute / 1440, secondOfDay: minute % 1440 * 60))
            }
            let distance = (1...7 * 1440).first { limit((start + $0) % (7 * 1440)) != limit(start) }
            let told = schedule.nextChange(
                after: WeekTime(weekday: start / 1440, secondOfDay: start % 1440 * 60)
            )
            #expect(told == distance.map { .seconds($0 * 60) }, "seed \(seed): \(words)")
        }
    }
}
