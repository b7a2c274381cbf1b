import FerryCore

extension InputProperty {
    /// A rate, or a schedule of rates, applies at every time of the week.
    package static let rate = InputProperty("rate") { input in
        let schedule: RateSchedule
        do throws(RateSchedule.ParseError) {
            schedule = try RateSchedule(parsing: input.text)
        } catch {
            return
        }
        for hour in 0..<168 {
            let moment = WeekTime(weekday: hour / 24, secondOfDay: hour % 24 * 3600)
            let limit = schedule.limit(at: moment)
            try require(
                (limit.bytesPerSecond ?? .max) >= RateLimit.smallest,
                "a limit lets something through"
            )
            guard let wait = schedule.nextChange(after: moment) else { continue }
            try require(wait > .zero && wait <= .seconds(7 * 86_400), "a change comes within a week")
        }
    }
}
