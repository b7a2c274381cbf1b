import FerryCore
import Testing

@testable import Ferry

@Suite("A bound that is lowered")
struct MovableBoundTests {
    @Test func isMovedOnlyToWhereNothingWasGranted() {
        let bound = MovableBound(at: 100)
        #expect(bound.grant(upTo: 400) == BodyGrant(upTo: 400, isLast: false))
        #expect(!bound.shorten(to: 399))
        #expect(bound.shorten(to: 600))
        #expect(!bound.shorten(to: 600), "it is there already")
        #expect(bound.shorten(to: 500))
        #expect(bound.grant(upTo: 450) == BodyGrant(upTo: 450, isLast: false))
        #expect(bound.grant(upTo: 700) == BodyGrant(upTo: 500, isLast: true))
        #expect(!bound.shorten(to: 450))
    }

    @Test func maySendABodyHomeWithNothing() {
        let bound = MovableBound(at: 100)
        #expect(bound.shorten(to: 100))
        #expect(bound.grant(upTo: 101) == BodyGrant(upTo: 100, isLast: true))
    }
}
