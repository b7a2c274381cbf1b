/// When a window opens and closes, in a time zone whose clocks are set forward and back.
extension TimeWindow {
    /// How far ahead an opening or a closing is looked for. The only opening of a week may fall into the hour that is left
    /// out where clocks are set forward, so the next one can be almost two weeks away.
    public static let horizon: Duration = .seconds(15 * 86_400)

    /// A day at a time, and where the clocks are set: more steps are only taken in a time zone that is none.
    private static let mostSteps = 100

    /// Whether it is open at a moment.
    public func isOpen(at now: Instant, in local: LocalTime) -> Bool {
        rules.isEmpty || isOpen(at: local.weekTime(at: now))
    }

    /// When it opens next; `nil` when it is open now.
    ///
    /// Where no clock shows any of its times within ``horizon`` that is the end of the horizon: a moment to ask again.
    public func opening(after now: Instant, in local: LocalTime) -> Instant? {
        isOpen(at: now, in: local) ? nil : change(after: now, in: local)
    }

    /// When it closes; `nil` when it is closed now, or never closes.
    public func closing(after now: Instant, in local: LocalTime) -> Instant? {
        guard !rules.isEmpty, isOpen(at: now, in: local) else { return nil }
        return change(after: now, in: local)
    }

    /// The first moment after `now` at which it is no longer what it is now; `nil` when it never closes.
    private func change(after now: Instant, in local: LocalTime) -> Instant? {
        let end = now.advanced(by: Self.horizon)
        var moment = now.wholeSecond
        let isOpenNow = isOpen(at: local.weekTime(at: moment))
        for _ in 0..<Self.mostSteps where moment < end {
            let offset = local.offset(at: moment)
            let shown = WeekTime(moment, offset: offset)
            guard isOpen(at: shown) == isOpenNow else { return moment }
            guard let wait = untilChange(after: shown) else { return nil }
            // No further than a day, so that clocks which are set twice within a week are seen to be.
            let next = moment.advanced(by: min(wait, .seconds(86_400)))
            moment =
                local.offset(at: next) == offset
                ? next : local.firstMoment(after: moment, upTo: next, notAt: offset)
        }
        return end
    }
}

extension LocalTime {
    /// The whole second at which the clocks are set that are no longer `offset` ahead of UTC at `last`.
    fileprivate func firstMoment(after first: Instant, upTo last: Instant, notAt offset: Duration) -> Instant
    {
        var before = first
        var after = last
        while before.duration(to: after) > .seconds(1) {
            let middle = before.advanced(by: before.duration(to: after) / 2).wholeSecond
            if self.offset(at: middle) == offset { before = middle } else { after = middle }
        }
        return after
    }
}

extension Instant {
    /// This moment without its part of a second.
    fileprivate var wholeSecond: Instant {
        let rest = milliseconds % 1000
        guard rest != 0, milliseconds > .min + 1000 else { return self }
        return Instant(milliseconds: milliseconds - (rest < 0 ? rest + 1000 : rest))
    }
}
