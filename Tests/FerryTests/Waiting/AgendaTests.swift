import FerryCore
import Testing

@testable import Ferry

/// What the loop looks at again, and when.
struct AgendaTests {
    private let now = Instant(seconds: 1_700_000_000)

    private func later(_ seconds: Int) -> Instant { now.advanced(by: .seconds(seconds)) }

    @Test func theEarliestMomentOfAllIsTheNextAndEachIsTakenOnce() {
        var agenda = Agenda()
        #expect(agenda.next == nil && agenda.takeDue(at: now).isEmpty)
        agenda.note(.space, for: later(2), at: now)
        agenda.note(.claims, for: later(9), at: now)
        agenda.note(.rate, for: later(2), at: now)
        #expect(agenda.next == later(2) && agenda.takeDue(at: later(1)).isEmpty)
        #expect(agenda.takeDue(at: later(2)) == [.rate, .space])
        #expect(agenda.next == later(9) && agenda.takeDue(at: later(3)).isEmpty)
        #expect(agenda.takeDue(at: later(60)) == [.claims] && agenda.next == nil)
    }

    @Test func anEarlierMomentStaysAndAnEarlierOneIsTaken() {
        var agenda = Agenda()
        agenda.note(.windows, for: Instant(milliseconds: .min), at: now)
        // The answer to a look that was under way does not put off one that was asked for meanwhile.
        agenda.note(.windows, for: later(60), at: now)
        #expect(agenda.takeDue(at: now) == [.windows])
        agenda.note(.windows, for: later(60), at: now)
        agenda.note(.windows, for: later(5), at: now)
        #expect(agenda.next == later(5))
    }

    @Test func noWaitLastsLongerBecauseTheClockWasSetBack() {
        var agenda = Agenda()
        agenda.note(.owners, for: later(3_602), at: later(3_600))
        agenda.note(.claims, for: later(9), at: now)
        #expect(agenda.takeDue(at: later(1)) == [.owners])
        #expect(agenda.takeDue(at: later(-1)) == [.claims])
    }
}
