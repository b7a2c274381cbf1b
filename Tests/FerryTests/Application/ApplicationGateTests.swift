import Ferry
import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

@Suite("Waiting until the engine has released its transfers", .timeLimit(.minutes(10)))
struct ApplicationGateTests {
    private let gate = ApplicationGate()

    @Test func whatBecameQuietBeforeAnybodyWaitedIsLookedAtOnceMore() async {
        gate.attend(true)
        gate.close(.stop)
        // The scheduler runs as soon as the gate is closed, before any task waits.
        gate.becameQuiet(since: gate.moves)
        await gate.quiet { gate.becameQuiet(since: gate.moves) }
    }

    @Test(arguments: [BackgroundPolicy.finishActive, .keepRunning])
    func whereNothingIsToBeLetGoAnyMoreNobodyWaits(_ policy: BackgroundPolicy) async {
        gate.attend(true)
        gate.close(.stop)
        await gate.quiet { gate.close(policy) }
        #expect(!gate.letsGo)
    }

    @Test func aStopThatIsAskedForTwiceIsStillWaitedFor() async {
        gate.attend(true)
        gate.close(.stop)
        let isQuiet = Mutex(false)
        await gate.quiet {
            gate.close(.stop)
            isQuiet.withLock { $0 = true }
            gate.becameQuiet(since: gate.moves)
        }
        #expect(isQuiet.withLock { $0 })
    }

    @Test func aLookUnderAnEarlierPolicyAnswersNoWait() async {
        gate.attend(true)
        gate.close(.keepRunning)
        let earlier = gate.moves
        gate.close(.stop)
        await gate.quiet {
            gate.becameQuiet(since: earlier)
            #expect(!gate.isQuiet)
            gate.becameQuiet(since: gate.moves)
        }
        #expect(gate.isQuiet)
    }

    @Test(arguments: [BackgroundPolicy.finishActive, .keepRunning])
    func whatRunsInTheForegroundOnlyIsWaitedForUnderEveryPolicy(_ policy: BackgroundPolicy) async throws {
        let url = try HTTPURL(parsing: "http://origin.example/file")
        let destination = Destination.file(directory: "/d", name: nil)
        var specification = DownloadSpecification(url: url, destination: destination)
        let (id, now) = (TransferID(rawValue: 1), Instant(seconds: 1))
        let everywhere = Transfer(id: id, adding: NewTransfer(specification), at: now)
        specification.options.runsInBackground = false
        let here = Transfer(id: id, adding: NewTransfer(specification), at: now)
        gate.attend(true)
        gate.close(policy)
        #expect(gate.releases(here) && !gate.releases(everywhere))
        #expect(gate.seen(here).state == .waiting(.applicationInactive))
        #expect(
            gate.seen(everywhere).state == (policy == .keepRunning ? .queued : .waiting(.applicationInactive))
        )
        let isQuiet = Mutex(false)
        await gate.quiet {
            isQuiet.withLock { $0 = true }
            gate.becameQuiet(since: gate.moves)
        }
        #expect(isQuiet.withLock { $0 })
        #expect(gate.open() == policy)
        #expect(!gate.releases(here) && gate.seen(here).state == .queued)
    }

    @Test func theEndOfWhoeverLetsGoIsTheEndOfTheWait() async {
        gate.attend(true)
        gate.close(.stop)
        await gate.quiet { gate.attend(false) }
        await gate.quiet {}
    }

    @Test func whatIsClaimedWhileTheGateClosesIsLetGoAsWell() async throws {
        let bench = try Bench()
        bench.transport.order(.stallAfter(4_000), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let (claims, claimed) = AsyncStream.makeStream(of: Void.self)
        // The claim is in the store, but the task that made it does not know yet.
        bench.store.beforeNextClaimReturns {
            engine.scheduler.gate.close(.stop)
            claimed.yield()
        }
        let handle = try await engine.download(from: bench.url, to: bench.destination)
        try await bench.running(engine) {
            for await _ in claims { break }
            await engine.applicationDidEnterBackground(.stop)
            let row = try await handle.snapshot
            #expect(row.state == .queued && row.claim == nil && row.attempts == 0)
        }
    }
}
