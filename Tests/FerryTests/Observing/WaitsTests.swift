import FerryCore
import FerryTesting
import Testing

@testable import Ferry

@Suite("Waiting transfers that are followed")
struct WaitsTests {
    private func transfer(_ id: Int64, _ state: TransferState, holder: Int64? = nil) throws -> Transfer {
        var transfer = try Transfer.row(id, state)
        transfer.claim = holder.map {
            Claim(transfer: transfer.id, owner: OwnerID(rawValue: $0), token: 1)
        }
        return transfer
    }

    private func at(_ seconds: Int) -> Instant { .epoch.advanced(by: .seconds(seconds)) }

    @Test func theEarliestThatTheOwnerMayClaimCounts() throws {
        let me = OwnerID(rawValue: 1)
        var waits = Waits()
        waits.note(try transfer(1, .waiting(.retry(at: at(30)))))
        waits.note(try transfer(2, .waiting(.retry(at: at(20))), holder: 1))
        waits.note(try transfer(3, .waiting(.window(opens: at(10))), holder: 2))
        waits.note(try transfer(4, .waiting(.network)))
        #expect(waits.earliestWake(for: me, after: .epoch) == at(20))
        // A transfer that is due waits for a free slot, and not for a time.
        #expect(waits.earliestWake(for: me, after: at(20)) == at(30))
        #expect(waits.earliestWake(for: me, after: at(30)) == nil)
        #expect(waits.earliestWake(for: OwnerID(rawValue: 2), after: .epoch) == at(10))
    }

    @Test func whatWaitsForAConditionComesInOrderAndOnlyAsLongAsItWaits() throws {
        var waits = Waits()
        for id: Int64 in [5, 3, 9] { waits.note(try transfer(id, .waiting(.network))) }
        waits.note(try transfer(4, .waiting(.newURL)))
        #expect(waits.waiting(for: .network).map(\.rawValue) == [3, 5, 9])
        waits.note(try transfer(5, .active))
        waits.remove(TransferID(rawValue: 9))
        #expect(waits.waiting(for: .network).map(\.rawValue) == [3])
        #expect(waits.count == 2)
    }

    @Test func itAgreesWithOneThatLooksAtAll() throws {
        var random = SeededRandom(seed: 7)
        var waits = Waits()
        var all: [Int64: Transfer] = [:]
        for _ in 0..<4_000 {
            let id = Int64.random(in: 1...60, using: &random)
            let state: TransferState =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .queued
                case 1: .waiting(.network)
                default: .waiting(.retry(at: at(Int.random(in: 0..<40, using: &random))))
                }
            let row = try transfer(id, state, holder: Bool.random(using: &random) ? 1 : 2)
            waits.note(row)
            all[id] = row
            let moment = at(Int.random(in: 0..<40, using: &random))
            let expected = all.values.compactMap { row -> Instant? in
                guard row.claim?.owner.rawValue == 1, case .waiting(let condition) = row.state,
                    let wake = condition.wakeTime, wake > moment
                else { return nil }
                return wake
            }.min()
            #expect(waits.earliestWake(for: OwnerID(rawValue: 1), after: moment) == expected)
        }
    }
}
