/// When a window opens and closes, in a time zone whose clock is set forward and back.
extension TimeWindow {
    /// How far ahead an opening or a closing is searched. The only opening of a week may fall into the hour that is
    /// skipped when the clock is set forward, so the next one can be almost two weeks away.
    package static let horizon: Duration = .seconds(15 * 86_400)

    /// Enough for one step a day and for each change of the clock. Only an invalid time zone needs more.
    private static let mostSteps = 100

    /// Whether it is open at a moment.
    package func isOpen(at now: Instant, in local: LocalTime) -> Bool {
        rules.isEmpty || isOpen(at: local.weekTime(at: now))
    }

    /// When it opens next; `nil` when it is open now.
    ///
    /// If none of its times occurs within ``horizon``, this is the end of the horizon: a moment to ask again.
    package func opening(after now: Instant, in local: LocalTime) -> Instant? {
        isOpen(at: now, in: local) ? nil : change(after: now, in: local)
    }

    /// When it closes; `nil` when it is closed now, or never closes.
    package func closing(after now: Instant, in local: LocalTime) -> Instant? {
        guard !rules.isEmpty, isOpen(at: now, in: local) else { return nil }
        return change(after: now, in: local)
    }

    /// The first moment after `now` at which it opens or closes; `nil` when it never closes.
    private func change(after now: Instant, in local: LocalTime) -> Instant? {
        let end = now.advanced(by: Self.horizon)
        var moment = now.wholeSecond
        let isOpenNow = isOpen(at: local.weekTime(at: moment))
        for _ in 0..<Self.mostSteps where moment < end {
            let offset = local.offset(at: moment)
            let shown = WeekTime(moment, offset: offset)
            guard isOpen(at: shown) == isOpenNow else { return moment }
            guard let wait = untilChange(after: shown) else { return nil }
            // One day at most, so that two changes of the clock within a week are noticed.
            let next = moment.advanced(by: min(wait, .seconds(86_400)))
            moment =
                local.offset(at: next) == offset
                ? next : local.firstMoment(after: moment, upTo: next, notAt: offset)
        }
        return end
    }
}

extension LocalTime {
    /// The first whole second up to `last` at which local time is no longer `offset` ahead of UTC.
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
    /// This moment without its fraction of a second.
    fileprivate var wholeSecond: Instant {
        let rest = milliseconds % 1000
        guard rest != 0, milliseconds > .min + 1000 else { return self }
        return Instant(milliseconds: milliseconds - (rest < 0 ? rest + 1000 : rest))
    }
}
