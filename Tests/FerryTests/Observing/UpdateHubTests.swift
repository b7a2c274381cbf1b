import FerryCore
import Testing

@testable import Ferry

@Suite("What is watched")
struct UpdateHubTests {
    @Test func transfersThatSeveralWatchAreCountedOnce() {
        let hub = UpdateHub()
        let ids = (1...6).map { TransferID(rawValue: $0) }
        hub.follow(Array(ids[..<3]))
        let first = hub.observe(Set(ids[2..<5]))
        let all = hub.observe(nil)
        #expect(hub.watched == Set(ids[..<5]))
        #expect(hub.watchesMore(than: 4))
        #expect(!hub.watchesMore(than: 5))
        withExtendedLifetime((first, all)) {}
    }

    @Test func whoNoLongerObservesWatchesNothing() {
        let hub = UpdateHub()
        do {
            let line = hub.observe(Set((1...6).map { TransferID(rawValue: $0) }))
            #expect(hub.watchesMore(than: 5))
            withExtendedLifetime(line) {}
        }
        #expect(!hub.watchesMore(than: 0))
        hub.follow([TransferID(rawValue: 1)])
        #expect(hub.watchesMore(than: 0) && !hub.watchesMore(than: 1))
    }
}
