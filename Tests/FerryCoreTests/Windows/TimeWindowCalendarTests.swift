import FerryCore
import FerryTesting
import Testing

/// When a window opens and closes. The clocks of the examples are those of ``ExampleZone``.
struct TimeWindowCalendarTests {
    private typealias Zone = ExampleZone

    /// A moment, and the next one at which the window is no longer what it is then; `nil` for never.
    struct Change {
        let window: String
        let zone: LocalTime
        let now: Instant
        let isOpen: Bool
        let next: Instant?

        init(_ window: String, _ zone: LocalTime, _ now: Instant, open next: Instant) {
            (self.window, self.zone, self.now, isOpen, self.next) = (window, zone, now, false, next)
        }

        init(_ window: String, _ zone: LocalTime, _ now: Instant, closed next: Instant?) {
            (self.window, self.zone, self.now, isOpen, self.next) = (window, zone, now, true, next)
        }
    }

    /// 22 November 2026 is a Sunday.
    static let plain: [Change] = [
        Change("22:00-06:00", .utc, Zone.date(2026, 11, 22, 21, 59), open: Zone.date(2026, 11, 22, 22)),
        Change("22:00-06:00", .utc, Zone.date(2026, 11, 22, 22), closed: Zone.date(2026, 11, 23, 6)),
        Change("22:00-06:00", .utc, Zone.date(2026, 11, 23, 5, 59), closed: Zone.date(2026, 11, 23, 6)),
        Change("22:00-06:00", .utc, Zone.date(2026, 11, 23, 6), open: Zone.date(2026, 11, 23, 22)),
        Change("22:00-06:00", Zone.berlin, Zone.date(2026, 11, 22, 20), open: Zone.date(2026, 11, 22, 21)),
        Change("22:00-06:00", Zone.berlin, Zone.date(2026, 7, 22, 19), open: Zone.date(2026, 7, 22, 20)),
        // The night belongs to the day on which it begins: that of Friday ends on Saturday, over the week's end or not.
        Change("fri 22:00-06:00", .utc, Zone.date(2026, 11, 22, 0), open: Zone.date(2026, 11, 27, 22)),
        Change("fri 22:00-06:00", .utc, Zone.date(2026, 11, 28, 5), closed: Zone.date(2026, 11, 28, 6)),
        Change("sat 22:00-06:00", .utc, Zone.date(2026, 11, 21, 23), closed: Zone.date(2026, 11, 22, 6)),
        Change("sat-sun 00:00-24:00", .utc, Zone.date(2026, 11, 21, 1), closed: Zone.date(2026, 11, 23, 0)),
        Change("mon 08:00-09:00", .utc, Zone.date(2026, 11, 23, 9), open: Zone.date(2026, 11, 30, 8)),
        // Times that touch or overlap are one.
        Change(
            "20:00-22:00,22:00-23:00,21:00-24:00,00:00-01:00",
            .utc,
            Zone.date(2026, 11, 22, 20),
            closed: Zone.date(2026, 11, 23, 1)
        ),
        Change("off", .utc, Zone.date(2026, 11, 22, 20), closed: nil),
        Change("00:00-24:00", .utc, Zone.date(2026, 11, 22, 20), closed: nil),
        Change("00:00-12:00 12:00-00:00", Zone.berlin, Zone.date(2026, 10, 24, 20), closed: nil),
    ]

    static let daylightSaving: [Change] = [
        // The night in which the clocks are set forward is an hour shorter,
        Change("22:00-06:00", Zone.berlin, Zone.date(2026, 3, 28, 20), open: Zone.date(2026, 3, 28, 21)),
        Change("22:00-06:00", Zone.berlin, Zone.date(2026, 3, 28, 21), closed: Zone.date(2026, 3, 29, 4)),
        // and that in which they are set back an hour longer.
        Change("22:00-06:00", Zone.berlin, Zone.date(2026, 10, 24, 20), closed: Zone.date(2026, 10, 25, 5)),
        // It begins, or ends, in the hour that is left out: with the first time that a clock shows.
        Change("02:30-05:00", Zone.berlin, Zone.date(2026, 3, 29, 0), open: Zone.date(2026, 3, 29, 1)),
        Change("00:00-02:30", Zone.berlin, Zone.date(2026, 3, 28, 23), closed: Zone.date(2026, 3, 29, 1)),
        // It lies in that hour: no clock shows it on that day.
        Change("02:15-02:45", Zone.berlin, Zone.date(2026, 3, 29, 0), open: Zone.date(2026, 3, 30, 0, 15)),
        Change("sun 02:15-02:45", Zone.berlin, Zone.date(2026, 3, 23, 0), open: Zone.date(2026, 4, 5, 0, 15)),
        // The hour that comes twice counts twice, though the window is closed between its two halves.
        Change("02:00-03:00", Zone.berlin, Zone.date(2026, 10, 25, 0), closed: Zone.date(2026, 10, 25, 2)),
        Change(
            "02:10-02:50",
            Zone.berlin,
            Zone.date(2026, 10, 25, 0, 10),
            closed: Zone.date(2026, 10, 25, 0, 50)
        ),
        Change(
            "02:10-02:50",
            Zone.berlin,
            Zone.date(2026, 10, 25, 0, 55),
            open: Zone.date(2026, 10, 25, 1, 10)
        ),
        Change("01:00-02:30", Zone.berlin, Zone.date(2026, 10, 25, 0, 40), open: Zone.date(2026, 10, 25, 1)),
        // Whole days can be left out.
        Change("fri 08:00-09:00", Zone.apia, Zone.date(2011, 12, 26, 0), open: Zone.date(2012, 1, 5, 18)),
    ]

    @Test(arguments: plain + daylightSaving)
    func opensAndClosesWhenTheClocksShowIt(_ change: Change) throws {
        let window = try TimeWindow(parsing: change.window)
        #expect(window.isOpen(at: change.now, in: change.zone) == change.isOpen)
        #expect(window.opening(after: change.now, in: change.zone) == (change.isOpen ? nil : change.next))
        #expect(window.closing(after: change.now, in: change.zone) == (change.isOpen ? change.next : nil))
    }

    @Test func findsTheWholeMinuteFromAnyPartOfASecond() throws {
        let window = try TimeWindow(parsing: "22:00-06:00")
        let opens = Zone.date(2026, 11, 22, 22)
        for milliseconds in [1, 499, 999, 1000, 59_999] as [Int64] {
            let now = Instant(milliseconds: opens.milliseconds - milliseconds)
            #expect(window.opening(after: now, in: .utc) == opens)
            #expect(!window.isOpen(at: now, in: .utc))
        }
        let before = Instant(milliseconds: -999)
        #expect(try TimeWindow(parsing: "00:00-01:00").opening(after: before, in: .utc) == .epoch)
    }

    @Test func namesAMomentToAskAgainWhereNoClockEverShowsIt() throws {
        // Clocks that stand still from noon to noon: a defect, and no reason to hang.
        let still = LocalTime { moment in .milliseconds(43_200_000 - moment.milliseconds) }
        let window = try TimeWindow(parsing: "22:00-23:00")
        let opens = try #require(window.opening(after: .epoch, in: still))
        #expect(opens > .epoch && opens <= Instant.epoch.advanced(by: TimeWindow.horizon))
    }

    @Test func endsAtTheEdgesOfTime() throws {
        let window = try TimeWindow(parsing: "22:00-23:00")
        for moment in [Int64.min, .min + 1, .max - 1, .max] {
            let now = Instant(milliseconds: moment)
            _ = (window.opening(after: now, in: .utc), window.closing(after: now, in: .utc))
        }
    }

    /// Held against a look at every single minute, with clocks that are set at random.
    @Test(arguments: 0..<40)
    func agreesWithALookAtEveryMinute(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let begin = Zone.date(2026, 1, 1, 0)
        func minute(_ count: Int) -> Instant { begin.advanced(by: .seconds(60 * count)) }
        let days = 9 * 1440
        let offsets = [-3600, 0, 1800, 3600, 5400, 7200]
        let changes = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            Int.random(in: 0..<days, using: &random)
        }
        .sorted().map { (at: minute($0), offset: offsets.randomElement(using: &random) ?? 0) }
        // Two changes within a day of which the later takes the earlier back are beyond what is looked for.
        if changes.count == 2, changes[0].at.duration(to: changes[1].at) < .seconds(2 * 86_400) { return }
        let zone = Zone.with(offsets.randomElement(using: &random) ?? 0, then: changes)
        let names = ["", "sun ", "mon ", "tue-thu ", "fri-sun ", "sat,wed "]
        let text = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let begin = Int.random(in: 0..<1440, using: &random)
            let end = (begin + Int.random(in: 1..<1440, using: &random)) % 1440
            func time(_ minute: Int) -> String { WindowText.time(minute) }
            return (names.randomElement(using: &random) ?? "") + "\(time(begin))-\(time(end))"
        }.joined(separator: ", ")
        let window = try TimeWindow(parsing: text)
        let isOpen = (0..<days).map { window.isOpen(at: minute($0), in: zone) }
        for _ in 0..<50 {
            let now = Int.random(in: 0..<(days - 1), using: &random)
            guard let next = (now..<days).first(where: { isOpen[$0] != isOpen[now] }) else { continue }
            let found =
                isOpen[now]
                ? window.closing(after: minute(now), in: zone) : window.opening(after: minute(now), in: zone)
            #expect(found == minute(next), "seed \(seed): \(text), from minute \(now), \(changes)")
        }
    }
}

private enum WindowText {
    static func time(_ minute: Int) -> String {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(padded(minute / 60)):\(padded(minute % 60))"
    }
}
