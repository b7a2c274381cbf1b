import FerryCore
import FerryTesting
import Testing

@Suite("A transfer after an attempt")
struct SettlementTests {
    private static let now = Instant(seconds: 1_700_000_000)
    private static let broke = Problem.transient(
        .connectionLost,
        "It broke.",
        remedies: [.checkNetwork, .retry]
    )

    private func transfer(attempts: Int = 5, best: Int64 = 0, stream: Bool = false) throws -> Transfer {
        let destination: Destination = stream ? .standardOutput : .file(directory: "/d", name: nil)
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: destination
        )
        var transfer = Transfer(
            id: TransferID(rawValue: 42),
            adding: NewTransfer(specification),
            at: Self.now
        )
        transfer.attempts = attempts
        transfer.ledger.bestReceived = best
        return transfer
    }

    private func settle(
        _ transfer: Transfer,
        _ outcome: AttemptOutcome,
        received: Int64 = 0,
        of length: Int64? = nil,
        keepsHold: Bool = true
    ) -> Settlement {
        var progress = transfer.downloadProgress
        progress.segments = SegmentMap(length: length)
        progress.segments.advance(0, writtenTo: received)
        var random = SeededRandom(seed: 9)
        return Settlement(
            of: transfer,
            after: outcome,
            progress: progress,
            keepsHold: keepsHold,
            at: Self.now,
            using: &random
        )
    }

    @Test func aBestThatNoAttemptCanPassIsNoProgress() throws {
        let transfer = try transfer(attempts: 4, best: .max)
        #expect(settle(transfer, .failed(Self.broke), received: 1 << 40).attempts == 4)
    }

    private static var unknown: Problem {
        var problem = Problem.transient(.nameNotResolved, "There is no host of that name.")
        problem.isUnknownHost = true
        return problem
    }

    /// Lets attempts end, one after the other, until one of them is the last; returns how many there were.
    private func attempts(
        at transfer: Transfer,
        endingWith problem: (Int) -> Problem
    ) throws -> Int {
        var transfer = transfer
        transfer.attempts = 0
        for number in 1...50 {
            transfer.attempts += 1
            let settlement = settle(transfer, .failed(problem(number)))
            if case .failed(let failure) = settlement.state {
                #expect(failure.code == .attemptsExhausted && failure.cause == problem(number).failure.code)
                return number
            }
            transfer.downloadProgress = settlement.downloadProgress
            transfer.ledger = settlement.ledger ?? transfer.ledger
            transfer.attempts = settlement.attempts ?? transfer.attempts
        }
        return .max
    }

    @Test func aHostOfWhichNobodyEverHeardIsTriedAFewTimesOnly() throws {
        var transfer = try transfer()
        #expect(try attempts(at: transfer) { _ in Self.unknown } == 3)
        #expect(try attempts(at: transfer) { _ in Self.broke } == 20)
        transfer.specification.options.retries = 1
        #expect(try attempts(at: transfer) { _ in Self.unknown } == 2, "no more than were asked for")
    }

    @Test func aHostThatResolvedOnceIsTriedAsOftenAsAnyOther() throws {
        var transfer = try transfer()
        for resolved in 1...2 {
            #expect(try attempts(at: transfer) { $0 == resolved ? Self.broke : Self.unknown } == 20)
        }
        transfer.downloadProgress.server = transfer.specification.url.origin
        #expect(try attempts(at: transfer) { _ in Self.unknown } == 20)
    }

    @Test func aMirrorIsNotGivenUpWithAHostOfWhichNobodyHeard() throws {
        var transfer = try transfer()
        transfer.specification.options.mirrors = [try HTTPURL(parsing: "http://mirror.example/f")]
        #expect(try attempts(at: transfer) { _ in Self.unknown } == 20)
    }

    @Test func whoTriesAnUnknownHostOnceMoreHasAllAttemptsAgain() throws {
        var transfer = try transfer(attempts: 3)
        transfer.ledger.unknownHosts = 3
        transfer.state = .failed(Self.unknown.failure)
        try transfer.requeue(holder: nil, token: 0, at: Self.now)
        #expect(try attempts(at: transfer) { _ in Self.unknown } == 3)
    }

    @Test func anEndAsAskedIsNotCounted() throws {
        let transfer = try transfer()
        #expect(settle(transfer, .released).state == .queued && settle(transfer, .released).attempts == 4)
        #expect(settle(transfer, .completed).state == .completed)
        #expect(settle(transfer, .cancelled).state == .cancelled)
        for outcome in [AttemptOutcome.released, .completed, .cancelled] {
            #expect(settle(transfer, outcome).failure == nil)
        }
        #expect(try settle(self.transfer(attempts: 0), .released).attempts == 0)
    }

    static let progress: [(Int64, Int64, Bool)] = [
        (0, 1_048_576, true), (0, 1_048_575, false), (50, 1_048_625, false), (50, 1_048_626, true),
    ]

    @Test(arguments: progress)
    func onlyRealProgressPastTheFormerBestCountsAnew(best: Int64, received: Int64, isReal: Bool) throws {
        let transfer = try transfer(best: best)
        let failed = settle(transfer, .failed(Self.broke), received: received)
        #expect(failed.attempts == (isReal ? 1 : 5))
        #expect(failed.ledger?.bestReceived == received)
        #expect(settle(transfer, .released, received: received).attempts == (isReal ? 0 : 4))
    }

    @Test func theBestIsNeverForgotten() throws {
        let transfer = try transfer(best: 10 << 20)
        let failed = settle(transfer, .failed(Self.broke), received: 9 << 20)
        #expect(failed.ledger?.bestReceived == 10 << 20 && failed.attempts == 5)
    }

    @Test func aServerThatAlwaysBreaksOffAtOnePlaceIsGivenUp() throws {
        var transfer = try transfer(attempts: 0)
        transfer.specification.options.retries = 3
        var count = 0
        while count < 20 {
            count += 1
            transfer.attempts += 1
            let settlement = settle(transfer, .failed(Self.broke), received: 5 << 20)
            transfer.attempts = settlement.attempts ?? transfer.attempts
            transfer.downloadProgress = settlement.downloadProgress
            transfer.ledger = settlement.ledger ?? transfer.ledger
            if case .failed = settlement.state { break }
        }
        #expect(count == 4)
    }

    @Test func aConditionIsNotCounted() throws {
        let full = Problem.condition(.diskSpace(needed: 1), .diskFull, "Full.")
        let settlement = settle(try transfer(), .failed(full))
        #expect(settlement.state == .waiting(.diskSpace(needed: 1)) && settlement.attempts == 4)
        #expect(settlement.failure == full.failure)
    }

    @Test func aConnectionThatWasCutIsNotCounted() throws {
        var transfer = try transfer(attempts: 1)
        transfer.specification.options.retries = 0
        let settlement = settle(transfer, .failed(.routeLost(to: "example.com")))
        #expect(settlement.state == .queued && settlement.attempts == 0 && settlement.keepsHold)
    }

    @Test func aFullDiskIsWaitedForUntilAllThatIsMissingFits() throws {
        let full = Problem.condition(.diskSpace(needed: 10), .diskFull, "Full.")
        for (received, length, needed) in [(0, 1000, 1000), (400, 1000, 600), (995, 1000, 10), (5, nil, 10)]
            as [(Int64, Int64?, Int64)]
        {
            let settlement = settle(try transfer(), .failed(full), received: received, of: length)
            #expect(settlement.state == .waiting(.diskSpace(needed: needed)))
        }
    }

    @Test func aFailureKeepsItsRemedies() throws {
        var transfer = try transfer(attempts: 20)
        #expect(settle(transfer, .failed(Self.broke)).failure == Self.broke.failure)
        guard case .failed(let failure) = settle(transfer, .failed(Self.broke)).state else {
            Issue.record("twenty attempts are not enough")
            return
        }
        #expect(failure.remedies == [.checkNetwork, .retry] && failure.code == .attemptsExhausted)
        transfer.specification.options.retries = 40
        #expect(settle(transfer, .failed(Self.broke)).state.name == .waiting)
    }

    @Test func aStreamThatWasStoppedCannotGoOn() throws {
        let stream = try transfer(stream: true)
        #expect(settle(stream, .released).state == .failed(.streamStopped))
        #expect(settle(stream, .failed(Self.broke)).state.name == .waiting)
        #expect(settle(stream, .completed).state == .completed)
    }

    @Test func theHoldIsKeptOnlyAsAsked() throws {
        let transfer = try transfer()
        #expect(settle(transfer, .released, keepsHold: true).keepsHold)
        #expect(!settle(transfer, .released, keepsHold: false).keepsHold)
        #expect(settle(transfer, .failed(Self.broke), keepsHold: true).keepsHold)
        #expect(!settle(transfer, .completed, keepsHold: true).keepsHold)
    }
}
