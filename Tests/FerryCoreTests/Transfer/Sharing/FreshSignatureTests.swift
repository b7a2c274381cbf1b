import FerryCore
import FerryTesting
import Testing

/// The same file is asked for with another signature.
@Suite("A fresh signature")
struct FreshSignatureTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let owner = OwnerID(rawValue: 1)
    private static let old = "https://h/f?Signature=old&Expires=1"
    private static let fresh = "https://h/f?Signature=fresh&Expires=2"

    private func new(
        _ url: String,
        _ change: (inout DownloadOptions) -> Void = { _ in }
    ) throws -> NewTransfer {
        var options = DownloadOptions()
        change(&options)
        let destination = Destination.file(directory: "/", name: nil)
        return NewTransfer(
            DownloadSpecification(url: try HTTPURL(parsing: url), destination: destination, options: options)
        )
    }

    private func transfer(_ state: TransferState, isHeld: Bool = false) throws -> Transfer {
        var transfer = Transfer(id: TransferID(rawValue: 1), adding: try new(Self.old), at: Self.now)
        transfer.state = state
        if isHeld || state == .active {
            transfer.claim = Claim(transfer: transfer.id, owner: Self.owner, token: 1)
        }
        return transfer
    }

    private func failure() -> TransferFailure {
        TransferFailure(.notFound, "There is nothing.")
    }

    @Test func whatDoesNotRunHasItAtOnce() throws {
        for state: TransferState in [.queued, .paused, .waiting(.network), .failed(failure())] {
            var transfer = try transfer(state)
            _ = try transfer.meet(try new(Self.fresh), holder: nil, token: 2, at: Self.now)
            #expect(transfer.specification.url.absoluteString == Self.fresh, "\(state)")
        }
    }

    @Test(arguments: [false, true])
    func whatWaitsForAURLIsQueued(_ isHeld: Bool) throws {
        var transfer = try transfer(.waiting(.newURL), isHeld: isHeld)
        _ = try transfer.meet(try new(Self.fresh), holder: nil, token: 2, at: Self.now)
        #expect(transfer.state == .queued && transfer.specification.url.absoluteString == Self.fresh)
    }

    @Test func whatRunsIsNotDisturbed() throws {
        var transfer = try transfer(.active)
        _ = try transfer.meet(try new(Self.fresh), holder: nil, token: 2, at: Self.now)
        #expect(transfer.state == .active && transfer.wish == nil)
        #expect(AttemptOrders(transfer).url.absoluteString == Self.fresh)
    }

    @Test func whatRunsKeepsItsURLWhereItIgnoresLess() throws {
        var transfer = try transfer(.active)
        let other = try new("https://h/f?Signature=fresh&Expires=2&token=1") { $0.ignoredQuery = ["token"] }
        #expect(other.specification.identity == transfer.specification.identity)
        _ = try transfer.meet(other, holder: nil, token: 2, at: Self.now)
        #expect(transfer.specification.url.absoluteString == Self.old)
    }

    @Test func whatIsIgnoredIsTakenWithTheURL() throws {
        var transfer = try transfer(.queued)
        let other = try new("https://h/f?Signature=fresh&Expires=2&token=1") { $0.ignoredQuery = ["token"] }
        _ = try transfer.meet(other, holder: nil, token: 2, at: Self.now)
        #expect(transfer.specification.identity == other.specification.identity)
        #expect(transfer.specification.url == other.specification.url)
    }

    /// The recorded one may have been revoked, or a person gives shorter ones from now on.
    @Test(
        arguments: [
            TransferState.queued, .active, .paused, .waiting(.network), .waiting(.newURL),
            .failed(TransferFailure(.notFound, "There is nothing.")),
        ],
        [false, true]
    )
    func theLatestIsTakenWheneverItExpires(_ state: TransferState, isHeld: Bool) throws {
        var transfer = try transfer(state, isHeld: isHeld && !state.isFinal)
        let shorter = "https://h/f?Signature=other&Expires=0"
        _ = try transfer.meet(try new(shorter), holder: nil, token: 2, at: Self.now)
        #expect(transfer.specification.url.absoluteString == shorter)
        #expect(transfer.state != .waiting(.newURL))
    }

    @Test func anExpiredURLIsNotWaitedForWhenAFreshOneIsThere() throws {
        var running = try transfer(.active)
        var settlement = Settlement(.waiting(.newURL), progress: running.downloadProgress)
        settlement.asked = running.specification.url
        var waiting = running
        waiting.settle(settlement, at: Self.now)
        #expect(waiting.state == .waiting(.newURL))

        _ = try running.meet(try new(Self.fresh), holder: nil, token: 2, at: Self.now)
        var renewed = running
        renewed.settle(settlement, at: Self.now)
        #expect(renewed.state == .queued)
        // The fresh one was asked as well.
        settlement.asked = running.specification.url
        running.settle(settlement, at: Self.now)
        #expect(running.state == .waiting(.newURL))
    }
}
