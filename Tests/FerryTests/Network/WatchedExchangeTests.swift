import FerryCore
import FerryTesting
import Testing

@testable import Ferry

@Suite("Watched exchanges", .timeLimit(.minutes(10)))
struct WatchedExchangeTests {
    private static let problem = Problem.transient(.timeout, "Nothing came.")

    private let watch = NetworkWatch(ScriptedNetworkMonitor())
    private let exchanges = OpenExchanges(executor: nil)

    /// Ends only when it is cancelled; returns whether it was.
    private static func untilCancelled() async -> Bool {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        continuation.finish()
        return Task.isCancelled
    }

    /// Begins an exchange that ends only when it is cancelled, and then tells whether it was.
    private func begin(
        _ watched: WatchedExchange,
        _ end: AsyncStream<Bool>.Continuation,
        whenBegun: @escaping @Sendable () -> Void = {}
    ) {
        exchanges.begin(watched) {
            let isCancelled = await watched.run {
                whenBegun()
                return await Self.untilCancelled()
            }
            end.yield(isCancelled)
        }
    }

    /// The next of these; `nil` after the last.
    private func next(of ends: AsyncStream<Bool>) async -> Bool? {
        for await isCancelled in ends { return isCancelled }
        return nil
    }

    @Test func anExchangeThatIsCutIsCancelledForTheFirstReason() async {
        let watched = watch.begin()
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        begin(watched, end) { start.yield() }
        for await _ in starts { break }
        watched.cut(.lost(Self.problem))
        watched.cut(.ordered)
        #expect(await next(of: ends) == true)
        #expect(watched.cut == .lost(Self.problem))
    }

    @Test func anExchangeThatIsCutBeforeItBeginsIsCancelledAtOnce() async {
        let watched = watch.begin()
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        watched.cut(.ordered)
        begin(watched, end)
        #expect(await next(of: ends) == true)
        #expect(watched.cut == .ordered)
    }

    @Test func anExchangeThatIsOverCannotBeCut() async {
        let watched = watch.begin()
        #expect(await watched.run { 7 } == 7)
        watched.cut(.ordered)
        #expect(watched.cut == nil)
    }

    @Test func aCutCancelsNoOtherExchange() async {
        let (watched, other) = (watch.begin(), watch.begin())
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        exchanges.begin(other) {
            await other.run { for await _ in signals { break } }
            end.yield(Task.isCancelled)
        }
        begin(watched, end)
        watched.cut(.ordered)
        #expect(await next(of: ends) == true)
        signal.yield()
        #expect(await next(of: ends) == false)
    }

    @Test func allExchangesHaveEndedWhenTheirOwnerHas() async {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        await exchanges.ending {
            begin(watch.begin(), end)
            begin(watch.begin(), end)
        }
        end.finish()
        #expect(await ends.reduce(into: []) { $0.append($1) } == [true, true])
    }

    @Test func exchangesEndWithTheTaskThatAwaitsThem() async {
        let both = [watch.begin(), watch.begin()]
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let task = Task {
            await exchanges.ending {
                begin(both[0], end) { start.yield() }
                _ = await Self.untilCancelled()
                begin(both[1], end)
            }
        }
        for await _ in starts { break }
        task.cancel()
        await task.value
        end.finish()
        #expect(await ends.reduce(into: []) { $0.append($1) } == [true, true])
        #expect(both.map(\.cut) == [nil, nil])
    }

    @Test func afterASleepOnlyWhatMayBeRepeatedIsCut() async {
        let both = [watch.begin(), watch.begin(isReplaceable: false)]
        for watched in both {
            #expect(watch.note(watched, headsTo: "host.example") != nil)
        }
        watch.cutAll()
        #expect(both.map(\.cut) == [.lost(.leftAlone(to: "host.example")), nil])
    }

    @Test func aRouteIsLookedUpOncePerHost() async throws {
        let watched = watch.begin()
        let lookUp = try #require(watch.note(watched, headsTo: "host.example"))
        await lookUp()
        #expect(watch.note(watch.begin(), headsTo: "host.example") == nil)
        #expect(watch.note(watch.begin(), headsTo: "other.example") != nil)
    }

    @Test func aChangeDuringTheLookUpCutsTheExchange() async throws {
        let watched = watch.begin()
        let lookUp = try #require(watch.note(watched, headsTo: "host.example"))
        await watch.react(to: .routes)
        await lookUp()
        #expect(watched.cut == .lost(.routeLost(to: "host.example")))
    }

    @Test(arguments: ["127.0.0.1", "127.9.9.9", "::1"])
    func aChangeDuringTheLookUpOfALoopbackAddressCutsOnlyIfItsLinkIsLost(host: String) async throws {
        let monitor = ScriptedNetworkMonitor()
        let watch = NetworkWatch(monitor)
        let watched = watch.begin()
        let lookUp = try #require(watch.note(watched, headsTo: host))
        await watch.react(to: .routes)
        await lookUp()
        #expect(watched.cut == nil)
        monitor.lose()
        await watch.react(to: .routes)
        #expect(watched.cut == .lost(.routeLost(to: host)))
    }
}
