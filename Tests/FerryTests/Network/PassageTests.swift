import FerryCore
import FerryTesting
import Testing

@testable import Ferry

@Suite("An exchange's way through the network", .timeLimit(.minutes(10)))
struct PassageTests {
    private static let problem = Problem.transient(.timeout, "Nothing came.")

    private let watch = NetworkWatch(ScriptedNetworkMonitor(), executor: nil)

    /// An exchange that ends only when it is cancelled; returns whether it was.
    private static func untilCancelled() async -> Bool {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        return Task.isCancelled
    }

    @Test func anExchangeThatIsCutIsCancelledForTheFirstReason() async {
        let passage = watch.begin()
        let (starts, starting) = AsyncStream.makeStream(of: Void.self)
        async let isCancelled = passage.run {
            starting.yield()
            return await Self.untilCancelled()
        }
        for await _ in starts { break }
        passage.cut(.lost(Self.problem))
        passage.cut(.ordered)
        #expect(await isCancelled)
        #expect(passage.cut == .lost(Self.problem))
    }

    @Test func anExchangeThatIsCutBeforeItBeginsIsCancelledAtOnce() async {
        let passage = watch.begin()
        passage.cut(.ordered)
        #expect(await passage.run { await Self.untilCancelled() })
        #expect(passage.cut == .ordered)
    }

    @Test func anExchangeThatIsOverCannotBeCut() async {
        let passage = watch.begin()
        #expect(await passage.run { 7 } == 7)
        passage.cut(.ordered)
        #expect(passage.cut == nil)
    }

    @Test func anExchangeEndsWithTheTaskThatRunsIt() async {
        let passage = watch.begin()
        let (starts, starting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await passage.run {
                starting.yield()
                return await Self.untilCancelled()
            }
        }
        for await _ in starts { break }
        task.cancel()
        #expect(await task.value)
        #expect(passage.cut == nil)
    }

    @Test func afterASleepOnlyWhatMayBeRepeatedIsCut() async {
        let passages = [watch.begin(), watch.begin(isReplaceable: false)]
        for passage in passages {
            #expect(watch.note(passage, headsTo: "host.example") != nil)
        }
        watch.cutAll()
        #expect(passages.map(\.cut) == [.lost(.leftAlone(to: "host.example")), nil])
    }

    @Test func aRouteIsLookedUpOncePerHost() async throws {
        let passage = watch.begin()
        let lookUp = try #require(watch.note(passage, headsTo: "host.example"))
        await lookUp()
        #expect(watch.note(watch.begin(), headsTo: "host.example") == nil)
        #expect(watch.note(watch.begin(), headsTo: "other.example") != nil)
    }

    @Test func aChangeDuringTheLookUpCutsTheExchange() async throws {
        let passage = watch.begin()
        let lookUp = try #require(watch.note(passage, headsTo: "host.example"))
        await watch.react(to: .routes)
        await lookUp()
        #expect(passage.cut == .lost(.routeLost(to: "host.example")))
    }
}
