import FerryTesting
import Testing

@testable import FerryCore

/// A person repeats a line and names a limit. One that is named as off looks, among the options, like one that is not named.
@Suite("Limits that a repeated request names")
struct NamedLimitTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 3)

    private func limited(_ state: TransferState, heldBy owner: OwnerID? = nil) throws -> Transfer {
        var transfer = try TransitionTests.transfer(in: state, claimedBy: owner)
        transfer.specification.options.rateLimit = try RateLimit(bytesPerSecond: 4_096)
        transfer.specification.options.window = try TimeWindow(parsing: "22:00-06:00")
        return transfer
    }

    private func request(_ limit: RateLimit?, _ window: TimeWindow?) throws -> NewTransfer {
        var specification = try limited(.queued).specification
        specification.options = DownloadOptions()
        specification.options.rateLimit = limit ?? .off
        specification.options.window = window ?? .always
        var new = NewTransfer(specification)
        (new.namedRateLimit, new.namedWindow) = (limit, window)
        return new
    }

    /// A transfer that runs or waits in a process gets them as well as one that no process holds.
    @Test(
        arguments: [
            (.queued, nil), (.paused, nil), (.waiting(.window(opens: now)), nil), (.active, owner),
            (.queued, owner), (.waiting(.window(opens: now)), owner),
        ] as [(TransferState, OwnerID?)]
    )
    func eachGoesByItself(_ state: TransferState, _ owner: OwnerID?) throws {
        for limit in [nil, .off, try RateLimit(bytesPerSecond: 8_192)] as [RateLimit?] {
            for window in [nil, .always, try TimeWindow(parsing: "20:00-06:00")] as [TimeWindow?] {
                let earlier = try limited(state, heldBy: owner)
                var transfer = earlier
                _ = try transfer.meet(try request(limit, window), holder: nil, token: 9, at: Self.now)
                let (terms, had) = (transfer.work.terms, earlier.work.terms)
                #expect(terms.rateLimit == limit ?? had.rateLimit)
                #expect(terms.window == window ?? had.window)
                #expect(transfer.wish == nil && transfer.claim == earlier.claim, "an attempt continues")
                if state == .active { #expect(transfer.state == .active) }
                if window == .always, state != .active { #expect(transfer.state == .queued) }
            }
        }
    }

    @Test func aLimitThatIsOffAlreadyIsNoChange() throws {
        var transfer = try TransitionTests.transfer(in: .queued)
        transfer.isForQueue = true
        let earlier = transfer
        let new = try request(.off, .always)
        _ = try transfer.meet(new, holder: nil, token: 9, at: Instant(seconds: 1_700_000_200))
        #expect(transfer == earlier)
    }

    /// A new request withdraws the cancellation, unless it is to be recorded paused.
    @Test(arguments: [false, true])
    func whatIsBeingCancelledKeepsThem(_ isPaused: Bool) throws {
        var transfer = try limited(.active, heldBy: Self.owner)
        transfer.wish = .cancel(keepingPart: false)
        let earlier = transfer.work.terms
        var new = try request(.off, .always)
        new.isPaused = isPaused
        _ = try transfer.meet(new, holder: Self.owner, token: 9, at: Self.now)
        #expect((transfer.work.terms == earlier) == isPaused)
        #expect((transfer.wish == nil) == !isPaused)
    }

    /// Only what a person types is meant for a transfer that runs; the options of the first caller stay otherwise.
    @Test func whatRunsKeepsALimitThatIsNotNamed() throws {
        var transfer = try limited(.active, heldBy: Self.owner)
        let earlier = transfer.work.terms
        var new = try request(try RateLimit(bytesPerSecond: 8_192), nil)
        new.namedRateLimit = nil
        _ = try transfer.meet(new, holder: nil, token: 9, at: Self.now)
        #expect(transfer.work.terms == earlier)
    }
}
