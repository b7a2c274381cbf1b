import FerryCore
import Testing

@testable import Ferry

@Suite("The number of connections to one server")
struct HostConnectionsTests {
    private let server = Origin(scheme: .https, host: "objects.example", port: 443)
    private let other = Origin(scheme: .https, host: "other.example", port: 443)

    /// The final number of connections to a server, for a transfer that requests this many.
    private func granted(cap: Int?, asking wanted: Int?) -> Int {
        let hosts = HostConnections(cap: cap)
        hosts.take(server)
        var count = 1
        while count < 100, hosts.takeSpare(server, asking: wanted) { count += 1 }
        #expect(hosts.takeSpare(other, asking: wanted), "another server has its own")
        return count
    }

    @Test(arguments: [(nil, 16), (1, 16), (8, 16), (17, 17), (64, 64)] as [(Int?, Int)])
    func whereNobodySetACapATransferHasWhatItAsksFor(wanted: Int?, expected: Int) {
        #expect(granted(cap: nil, asking: wanted) == expected)
    }

    @Test(arguments: [nil, 1, 64] as [Int?])
    func aCapThatWasSetHoldsForAllOfThem(wanted: Int?) {
        #expect(granted(cap: 4, asking: wanted) == 4)
        #expect(granted(cap: 32, asking: wanted) == 32)
    }

    @Test func furtherConnectionsToAllServersTogetherAreBounded() {
        let hosts = HostConnections(cap: nil, most: 3)
        hosts.take(server)
        #expect(hosts.takeSpare(server, asking: 16) && hosts.takeSpare(other, asking: 16))
        #expect(!hosts.takeSpare(other, asking: 16))
        // The first connection of a transfer is always opened.
        hosts.take(other)
        hosts.giveBack(server)
        #expect(!hosts.takeSpare(server, asking: 16))
        hosts.giveBack(server)
        #expect(hosts.takeSpare(server, asking: 16))
    }

    @Test func oneMoreThanAServerServedIsTriedOnceAnHour() {
        let hosts = HostConnections(cap: nil)
        let now = Instant(seconds: 1_800_000_000)
        let hour = ServerTraits.ConnectionLimit.lifetime
        #expect(hosts.takeProbe(of: server, at: now))
        #expect(!hosts.takeProbe(of: server, at: now))
        #expect(!hosts.takeProbe(of: server, at: now.advanced(by: hour - .seconds(1))))
        #expect(hosts.takeProbe(of: other, at: now), "another server has its own")
        #expect(hosts.takeProbe(of: server, at: now.advanced(by: hour)))
        // The clock was set back.
        #expect(hosts.takeProbe(of: server, at: now))
    }

    @Test func aTransferThatAsksForManyLeavesTheOthersBelowTheUsualNumber() {
        let hosts = HostConnections(cap: nil)
        for _ in 0..<20 { #expect(hosts.takeSpare(server, asking: 32)) }
        #expect(!hosts.takeSpare(server, asking: 8))
        for _ in 0..<5 { hosts.giveBack(server) }
        #expect(hosts.takeSpare(server, asking: 8) && !hosts.takeSpare(server, asking: 8))
        hosts.setCap(20)
        #expect(hosts.takeSpare(server, asking: nil))
    }
}
