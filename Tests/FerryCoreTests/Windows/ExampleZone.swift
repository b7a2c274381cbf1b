@testable import FerryCore

/// Time zones whose clocks are set at moments that a test knows, as no test may depend on this machine's.
enum ExampleZone {
    /// Berlin in 2026: set forward on Sunday, 29 March at 02:00, and back on Sunday, 25 October at 03:00.
    static let berlin = LocalTime { moment in
        let summer = date(2026, 3, 29, 1)..<date(2026, 10, 25, 1)
        return .seconds(summer.contains(moment) ? 7200 : 3600)
    }

    /// Apia in 2011: it left out Friday, 30 December.
    static let apia = LocalTime { .seconds($0 < date(2011, 12, 30, 10) ? -10 * 3600 : 14 * 3600) }

    /// A zone that a test makes up: each of the moments sets the clocks to another offset.
    static func with(_ first: Int, then changes: [(at: Instant, offset: Int)]) -> LocalTime {
        LocalTime { moment in
            .seconds(changes.last { $0.at <= moment }?.offset ?? first)
        }
    }

    /// A moment in UTC.
    static func date(_ year: Int64, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int = 0) -> Instant {
        CivilDate(year: year, month: month, day: day, hour: hour, minute: minute).instant
    }
}
