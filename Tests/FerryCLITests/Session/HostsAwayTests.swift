import Ferry
import FerryTesting
import Testing

@testable import FerryCLI

/// An unreachable host is reported in one line, for any number of its transfers.
@Suite struct HostsAwayTests {
    private func announcement(_ state: TransferState, received: Int64 = 0) throws -> Announcement {
        let transfer = try Sample.transfer(state: state, received: received, length: 1 << 20)
        return Announcement(transfer, transfer.recordedProgress, .state(took: nil))
    }

    @Test func aHostIsToldOfOnceUntilItSendsSomething() throws {
        var hosts = HostsAway()
        let host = try Sample.transfer().specification.url.host
        let line = "The network is down: transfers for \(host) wait for a route."
        #expect(hosts.note(try announcement(.waiting(.network)), others: true) == line)
        for state in [TransferState.waiting(.network), .active, .queued, .waiting(.newURL)] {
            #expect(hosts.note(try announcement(state), others: true) == nil)
        }
        #expect(hosts.note(try announcement(.waiting(.network)), others: true) == nil)
        #expect(hosts.note(try announcement(.active, received: 5), others: true) == nil)
        #expect(hosts.note(try announcement(.waiting(.network)), others: true) == line)
    }

    @Test func aConnectionThatIsReplacedAfterAStandstillSaysNothingOfTheNetwork() throws {
        var hosts = HostsAway()
        var transfer = try Sample.transfer(state: .waiting(.network), received: 0, length: 1 << 20)
        transfer.latestFailure = TransferFailure(.connectionLost, "The connection was idle for too long.")
        let replaced = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        #expect(hosts.note(replaced, others: true) == nil)
        transfer.latestFailure = TransferFailure(.networkUnreachable, "There is no route.")
        let isAway = Announcement(transfer, transfer.recordedProgress, .state(took: nil))
        #expect(hosts.note(isAway, others: true) != nil)
    }

    @Test func whereThereAreNoOthersNothingIsSaidOfThem() throws {
        var hosts = HostsAway()
        #expect(hosts.note(try announcement(.waiting(.network)), others: false) == nil)
    }
}
