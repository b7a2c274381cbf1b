import FerryCore
import FerryTesting
import Testing

@Suite("Attempts that die with their process")
struct DeadAttemptTests {
    private static let me = OwnerID(rawValue: 1)
    private static let now = Instant(seconds: 1_700_000_000)
    private static let lost = Problem.transient(.connectionLost, "It broke.")
    private static let mebibyte: Int64 = 1 << 20

    private func transfer(retries: Int, length: Int64? = 1 << 40) throws -> Transfer {
        var options = DownloadOptions()
        options.retries = retries
        let specification = DownloadSpecification(
            url: try HTTPURL(parsing: "http://example.com/f"),
            destination: .file(directory: "/d", name: nil),
            options: options
        )
        var transfer = Transfer(
            id: TransferID(rawValue: 7),
            adding: NewTransfer(specification),
            at: Self.now
        )
        transfer.downloadProgress.segments = SegmentMap(length: length)
        return transfer
    }

    /// An attempt that receives this many bytes before its process dies.
    private func die(_ transfer: inout Transfer, at received: Int64) {
        transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
        receive(&transfer, received)
        transfer.lostOwner(.died, isAlone: true, at: Self.now)
    }

    private func receive(_ transfer: inout Transfer, _ received: Int64) {
        var segments = SegmentMap(length: transfer.downloadProgress.segments.length)
        segments.advance(0, writtenTo: received)
        transfer.downloadProgress.segments = segments
    }

    /// An attempt whose connection breaks.
    private func fail(_ transfer: inout Transfer) {
        transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
        end(&transfer, .failed(Self.lost))
    }

    private func end(_ transfer: inout Transfer, _ outcome: AttemptOutcome) {
        var random = SeededRandom(seed: 3)
        let settlement = Settlement(
            of: transfer,
            after: outcome,
            progress: transfer.downloadProgress,
            keepsHold: false,
            at: Self.now,
            using: &random
        )
        transfer.settle(settlement, at: Self.now)
    }

    @Test(arguments: [0, 1, 40], [0, 5 << 20] as [Int64])
    func oneThatKillsWhoeverRunsItIsFoundOut(retries: Int, received: Int64) throws {
        var transfer = try transfer(retries: retries)
        // The bytes before its first kill count as progress, once.
        if received > 0 { die(&transfer, at: received) }
        #expect(transfer.ledger.deaths == 0)
        for number in 0..<Transfer.mostDeaths {
            #expect(transfer.state == .queued && transfer.ledger.deaths == number)
            #expect(transfer.isSuspect == (number >= Transfer.deathsInCompany))
            die(&transfer, at: received)
        }
        guard case .failed(let failure) = transfer.state else {
            Issue.record("it is \(transfer.state)")
            return
        }
        #expect(failure.code == .attemptsExhausted && failure.message.contains("died"))
        #expect(failure.remedies == [.retry])
        #expect(transfer.downloadProgress.segments.received == received)
    }

    @Test(arguments: [Self.mebibyte, Self.mebibyte / 3, 10 * Self.mebibyte])
    func oneThatGetsOnIsNeverLostHoweverOftenItsProcessIsKilled(step: Int64) throws {
        var transfer = try transfer(retries: 3)
        for number in 1...200 {
            die(&transfer, at: Int64(number) * step)
            #expect(transfer.state == .queued)
        }
        #expect(transfer.attempts <= 4)
    }

    @Test func oneThatStartedOverGetsOnAgain() throws {
        var transfer = try transfer(retries: 1)
        die(&transfer, at: 500 * Self.mebibyte)
        // Another version: all bytes are fetched again, and the process is killed as often as before.
        for number in 1...100 { die(&transfer, at: Int64(number) * 2 * Self.mebibyte) }
        #expect(transfer.state == .queued)
    }

    @Test func allThatWasLeftIsProgressHoweverLittleItIs() throws {
        var transfer = try transfer(retries: 1, length: 1_000)
        die(&transfer, at: 600)
        #expect(transfer.ledger.deaths == 1)
        die(&transfer, at: 1_000)
        #expect(transfer.ledger.deaths == 0 && transfer.state == .queued)
        die(&transfer, at: 1_000)
        #expect(transfer.ledger.deaths == 1 && transfer.state == .queued)
        for _ in 1..<Transfer.mostDeaths { die(&transfer, at: 1_000) }
        #expect(transfer.state.name == .failed)
    }

    /// A death after progress is not counted. A person who looks at the list is told of it all the same.
    @Test(arguments: [0, 1_000, 5 << 20] as [Int64])
    func whatWaitsAfterADeathIsKnown(received: Int64) throws {
        var transfer = try transfer(retries: 5)
        #expect(!transfer.hasLostItsProcess)
        die(&transfer, at: received)
        #expect(transfer.hasLostItsProcess)
        transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
        #expect(!transfer.hasLostItsProcess)
        receive(&transfer, received + 1)
        end(&transfer, .released)
        #expect(transfer.state == .queued && !transfer.hasLostItsProcess)
    }

    /// The server got no request, or gave no wrong answer. `--retries 0` is only about wrong answers.
    @Test func aDeathIsNoTry() throws {
        var transfer = try transfer(retries: 0)
        die(&transfer, at: 0)
        #expect(transfer.state == .queued)
        fail(&transfer)
        #expect(transfer.state.name == .failed, "that was its try")
    }

    /// A restart of the machine or an owner that left in order does not count against a transfer.
    @Test(arguments: [OwnerEnd.rebooted, .left])
    func aRebootIsNoDeath(_ end: OwnerEnd) throws {
        var transfer = try transfer(retries: 0)
        for _ in 0..<50 {
            transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
            transfer.lostOwner(end, isAlone: true, at: Self.now)
            #expect(transfer.state == .queued && transfer.ledger.deaths == 0 && transfer.attempts == 0)
        }
    }

    /// Only a transfer that ran alone is known to have killed its process.
    @Test func whatDiesInCompanyIsSuspectedAndDoesNotFail() throws {
        var transfer = try transfer(retries: 0)
        for number in 1...50 {
            transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
            transfer.lostOwner(.died, isAlone: false, at: Self.now)
            #expect(transfer.state == .queued && transfer.isSuspect == (number >= 2))
        }
        #expect(transfer.probation > .seconds(600), "it is left alone for longer and longer")
        die(&transfer, at: 0)
        #expect(transfer.state.name == .failed)
    }

    @Test func deathsDoNotCountAgainstTheServer() throws {
        var transfer = try transfer(retries: 2)
        for _ in 0..<2 { die(&transfer, at: 0) }
        fail(&transfer)
        #expect(transfer.state.name == .waiting && transfer.attempts == 1 && transfer.ledger.deaths == 0)
        // They do not add up over attempts that ended in order, either.
        transfer.state = .queued
        for _ in 0..<2 { die(&transfer, at: 0) }
        #expect(transfer.state == .queued && transfer.attempts == 3)
        fail(&transfer)
        #expect(transfer.state.name == .waiting && transfer.attempts == 2)
        transfer.state = .queued
        fail(&transfer)
        guard case .failed(let failure) = transfer.state else {
            Issue.record("it is \(transfer.state)")
            return
        }
        #expect(failure.code == .attemptsExhausted && failure.cause == .connectionLost)
        #expect(failure.message.contains("3 attempts"))
    }

    @Test(arguments: [Wish.pause, .cancel(keepingPart: true), .reload])
    func aWishGoesBeforeTheVerdict(_ wish: Wish) throws {
        var transfer = try transfer(retries: 0)
        transfer.ledger.deaths = Transfer.mostDeaths - 1
        transfer.becomeActive(for: Self.me, token: 1, at: Self.now)
        transfer.wish = wish
        transfer.lostOwner(.died, isAlone: true, at: Self.now)
        let expected: TransferState.Name =
            switch wish {
            case .pause: .paused
            case .cancel: .cancelled
            case .reload: .failed
            }
        #expect(transfer.state.name == expected && transfer.claim == nil && transfer.wish == nil)
    }
}
