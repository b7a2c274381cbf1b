import FerryCore

/// What the scheduler's loop checks, and when: all its waits in one form.
///
/// One timer rings for the earliest of them (``Alarm``). A look is harmless when it comes early. So a moment that was noted while
/// the clock was ahead counts as due, and no wait lasts longer because the clock was set back.
struct Agenda: Sendable {
    /// What is looked at, in this order.
    enum Look: Int, CaseIterable, Sendable {
        /// Whether the window of a running transfer has closed.
        case windows
        /// Which rate limit applies.
        case rate
        /// Which owners are dead, and whether others see that this one lives.
        case owners
        /// Whether disks that transfers wait for have enough space.
        case space
        /// Whether a suspect has waited long enough to run alone.
        case suspects
        /// Whether there are routes to the hosts that transfers wait for.
        case network
        /// Which deadlines have passed.
        case deadlines
        /// What is to be removed of transfers that are over: uploads at servers, and copies of bodies.
        case residues
        /// Which waits have ended by themselves: a retry is due, or a window opens.
        case claims
    }

    private struct Entry {
        var moment: Instant
        var noted: Instant
    }

    /// By the numbers of the looks.
    private var entries = [Entry?](repeating: nil, count: Look.allCases.count)

    /// The earliest moment of all; `nil` when there is nothing to check.
    var next: Instant? { entries.compactMap { $0?.moment }.min() }

    /// Notes when to look again, at the latest. An earlier moment that was noted stays.
    mutating func note(_ look: Look, for moment: Instant, at now: Instant) {
        if let entry = entries[look.rawValue], entry.moment <= moment { return }
        entries[look.rawValue] = Entry(moment: moment, noted: now)
    }

    /// Takes out the entries that are due now.
    mutating func takeDue(at now: Instant) -> [Look] {
        let due = Look.allCases.filter { look in
            entries[look.rawValue].map { $0.moment <= now || $0.noted > now } ?? false
        }
        for look in due { entries[look.rawValue] = nil }
        return due
    }
}
