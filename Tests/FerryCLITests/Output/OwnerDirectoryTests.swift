import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// How a transfer is shown whose process is dead.
@Suite struct OwnerDirectoryTests {
    private let owner = OwnerID(rawValue: 4)

    private func transfer(deaths: Int) throws -> Transfer {
        var transfer = try Sample.transfer()
        transfer.claim = Claim(transfer: transfer.id, owner: owner, token: 1)
        transfer.ledger.deaths = deaths
        return transfer
    }

    /// Whether the owner ran nothing else is for the store to find out.
    @Test func showsNoFailureThatTheStoreMayNotRecord() throws {
        let last = Transfer.mostDeaths - 1
        let shown = OwnerDirectory(processes: [:], dead: [owner: .died])
            .shown(try transfer(deaths: last), at: Sample.now)
        #expect(shown.state == .queued && shown.claim == nil)
        #expect(shown.ledger.deaths == last + 1 && shown.attempts == 1)
    }

    @Test func countsNoDeathAfterAReboot() throws {
        let shown = OwnerDirectory(processes: [:], dead: [owner: .rebooted])
            .shown(try transfer(deaths: 1), at: Sample.now)
        #expect(shown.state == .queued && shown.ledger.deaths == 1 && shown.attempts == 0)
    }

    @Test func showsWhatRunsAsItIs() throws {
        let transfer = try transfer(deaths: 1)
        let other = OwnerDirectory(processes: [owner: 7], dead: [OwnerID(rawValue: 5): .died])
        #expect(other.shown(transfer, at: Sample.now) == transfer)
    }

    @Test func isReadOnlyForAnnouncementsThatNameOwners() throws {
        let transfer = try transfer(deaths: 0)
        #expect(!Session.namesOwners(of: [.added(transfer)], isJSON: false))
        #expect(Session.namesOwners(of: [.added(transfer)], isJSON: true))
        for other in [Addition.attached(transfer), .revived(transfer)] {
            #expect(Session.namesOwners(of: [.added(transfer), other], isJSON: false))
        }
    }

    @Test func otherProcessesAreThoseThatMayBeAlive() {
        let (own, other) = (OwnerID(rawValue: 1), OwnerID(rawValue: 2))
        for (processes, hasOthers) in [
            ([:], false), ([own: 5], false), ([other: 6], true), ([own: 5, other: 6], true),
        ] as [([OwnerID: Int32], Bool)] {
            #expect(OwnerDirectory(processes: processes, own: [own]).hasOthers == hasOthers)
        }
        #expect(!OwnerDirectory(processes: [:], dead: [other: .died]).hasOthers)
    }
}
