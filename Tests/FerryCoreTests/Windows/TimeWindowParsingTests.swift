import FerryCore
import Foundation
import Testing

struct TimeWindowParsingTests {
    /// What people write, and how it is shown to them.
    static let texts: [(String, String)] = [
        ("off", "off"), ("OFF", "off"), (" off ", "off"),
        ("22:00-06:00", "22:00-06:00"), ("8:00-9:30", "08:00-09:30"), ("00:00-24:00", "00:00-24:00"),
        ("18:00-00:00", "18:00-00:00"),
        ("mon-fri 22:00-06:00", "mon-fri 22:00-06:00"),
        ("Monday-FRIDAY 22:00-06:00", "mon-fri 22:00-06:00"),
        ("mon,wed,fri 22:00-06:00", "mon,wed,fri 22:00-06:00"),
        ("mon wed fri 22:00-06:00", "mon,wed,fri 22:00-06:00"),
        ("fri-mon 10:00-11:00", "mon,fri-sun 10:00-11:00"),
        ("sun 10:00-11:00", "sun 10:00-11:00"), ("sat-sun 10:00-11:00", "sat-sun 10:00-11:00"),
        ("22:00-24:00,00:00-06:00", "22:00-24:00, 00:00-06:00"),
        // Days hold for all times behind them.
        ("mon-fri 08:00-10:00,12:00-13:00", "mon-fri 08:00-10:00, 12:00-13:00"),
        ("20:00-22:00, sat 08:00-10:00", "20:00-22:00, sat 08:00-10:00"),
        (
            "mon-fri 22:00-06:00, sat,sun 00:00-24:00,\tsun-sat 03:00-04:00",
            "mon-fri 22:00-06:00, sat-sun 00:00-24:00, mon-sun 03:00-04:00"
        ),
    ]

    @Test(arguments: texts)
    func readsWhatPeopleWriteAndShowsItInOneForm(_ text: String, _ shown: String) throws {
        let window = try TimeWindow(parsing: text)
        #expect("\(window)" == shown)
        #expect(try TimeWindow(parsing: shown) == window)
        let stored = try JSONEncoder().encode([window])
        #expect(try JSONDecoder().decode([TimeWindow].self, from: stored) == [window])
    }

    @Test func neverClosesWhenItIsOff() throws {
        #expect(try TimeWindow(parsing: "off") == .always)
        #expect(try TimeWindow(parsing: "22:00-06:00") != .always)
    }

    static let refused: [(String, TimeWindow.ParseError)] = [
        ("", .malformed), (",", .malformed), ("night", .malformed), ("22-06", .malformed),
        ("22:00", .malformed),
        ("22:00-", .malformed), ("-06:00", .malformed), ("22:00-06:00-07:00", .malformed),
        ("24:00-06:00", .malformed), ("22:00-24:01", .malformed), ("22:60-23:00", .malformed),
        ("22:00–06:00", .malformed), ("22:00:00-06:00:00", .malformed), ("off 22:00-06:00", .malformed),
        ("mo 22:00-06:00", .malformed), ("mon-fri-sun 22:00-06:00", .malformed),
        ("mon- 22:00-06:00", .malformed),
        ("mon-fri22:00-06:00", .malformed), ("+1:00-06:00", .malformed),
        ("sat-sun", .daysWithoutTime), ("22:00-06:00, sat", .daysWithoutTime),
        ("22:00-22:00", .empty), ("00:00-00:00", .empty),
        (Array(repeating: "22:00-06:00", count: 101).joined(separator: ","), .malformed),
    ]

    @Test(arguments: refused)
    func refusesWhatIsNoWindow(_ text: String, _ error: TimeWindow.ParseError) {
        #expect(throws: error) { try TimeWindow(parsing: text) }
        #expect(error.description.hasSuffix("."))
    }
}
