import FerryTesting
import Testing

@testable import FerryCore

/// A person repeats a line and names a limit as off, which looks like a limit that is not named.
@Suite("Limits that a repeated request names as off")
struct LiftedLimitTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 3)

    private func limited(_ state: TransferState, heldBy owner: OwnerID? = nil) throws -> Transfer {
        var transfer = try TransitionTests.transfer(in: state, claimedBy: owner)
        transfer.specification.options.rateLimit = try RateLimit(bytesPerSecond: 4_096)
        transfer.specification.options.window = try TimeWindow(parsing: "22:00-06:00")
        return transfer
    }

    private func request(liftsRateLimit: Bool, liftsWindow: Bool) throws -> NewTransfer {
        var specification = try limited(.queued).specification
        specification.options = DownloadOptions()
        var new = NewTransfer(specification)
        (new.liftsRateLimit, new.liftsWindow) = (liftsRateLimit, liftsWindow)
        return new
    }

    @Test(arguments: [TransferState.queued, .paused, .waiting(.window(opens: now))])
    func eachGoesByItself(_ state: TransferState) throws {
        for liftsRateLimit in [false, true] {
            for liftsWindow in [false, true] {
                let earlier = try limited(state)
                let new = try request(liftsRateLimit: liftsRateLimit, liftsWindow: liftsWindow)
                var transfer = earlier
                _ = try transfer.meet(new, holder: nil, token: 9, at: Self.now)
                let (terms, had) = (transfer.work.terms, earlier.work.terms)
                #expect(terms.rateLimit == (liftsRateLimit ? .off : had.rateLimit))
                #expect(terms.window == (liftsWindow ? .always : had.window))
                if liftsWindow { #expect(transfer.state == .queued, "it need not wait any more") }
            }
        }
    }

    @Test func aLimitThatIsOffAlreadyIsNoChange() throws {
        var transfer = try TransitionTests.transfer(in: .queued)
        transfer.isForQueue = true
        let earlier = transfer
        let new = try request(liftsRateLimit: true, liftsWindow: true)
        _ = try transfer.meet(new, holder: nil, token: 9, at: Instant(seconds: 1_700_000_200))
        #expect(transfer == earlier)
    }

    @Test func whatRunsKeepsThem() throws {
        var transfer = try limited(.active, heldBy: Self.owner)
        let earlier = transfer.work.terms
        let new = try request(liftsRateLimit: true, liftsWindow: true)
        _ = try transfer.meet(new, holder: nil, token: 9, at: Self.now)
        #expect(transfer.work.terms == earlier)
    }
}
