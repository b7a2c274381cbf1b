import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// A second engine requests a download that another engine runs.
@Suite("Two engines with the same download", .timeLimit(.minutes(10)))
struct FollowingTests {
    /// An engine with a stalled download, and another engine that follows it.
    private func pair(
        _ bench: Bench,
        _ scope: EngineConfiguration.Scope
    ) async throws -> (leader: TransferEngine, work: Task<Void, any Error>, follower: TransferEngine) {
        let leader = bench.engine(whenStopped: .pause)
        let (_, work) = try await bench.stalled(after: 5_000, under: leader)
        return (leader, work, bench.engine(scope, whenStopped: .pause))
    }

    @Test(arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: false)])
    func theOtherGoesOnWhenTheFirstIsStopped(_ scope: EngineConfiguration.Scope) async throws {
        let bench = try Bench()
        let (leader, work, follower) = try await pair(bench, scope)
        let end = try await bench.running(follower) {
            let handle = try await follower.download(from: bench.url, to: bench.destination)
            leader.stop()
            try await work.value
            return try await handle.value()
        }
        #expect(end.length == 10_000)
        #expect(try bench.published == bench.bytes)
        #expect(bench.transport.requests.count == 2)
        #expect(bench.transport.requests.last?.headers[.range] == "bytes=5000-")
    }

    @Test func theOtherGoesOnWithWhatHadNotBegun() async throws {
        let bench = try Bench()
        let leader = bench.engine(whenStopped: .pause)
        let follower = bench.engine(whenStopped: .pause)
        _ = try await leader.download(from: bench.url, to: bench.destination)
        let end = try await bench.running(follower) {
            let handle = try await follower.download(from: bench.url, to: bench.destination)
            leader.stop()
            try await leader.run()
            return try await handle.value()
        }
        #expect(end.length == 10_000)
    }

    /// A stopped process holds neither its running transfers nor those that it has not started.
    @Test func theOtherGoesOnWhileTheFirstIsInTheBackground() async throws {
        let bench = try Bench()
        let leader = bench.engine(whenStopped: .pause, slots: 1)
        let (_, work) = try await bench.stalled(after: 5_000, under: leader)
        let next = try HTTPURL(parsing: "http://origin.example/next.bin")
        bench.transport.set(ScriptedResource(bench.bytes, entityTag: "\"v1\""), at: next)
        let place = Destination.file(directory: "/d", name: try FileName(userGiven: "next.bin"))
        let waiting = try await leader.download(from: next, to: place)
        await leader.applicationDidEnterBackground(.stop)
        #expect(try await waiting.snapshot.claim == nil)
        let follower = bench.engine(whenStopped: .pause)
        // Added before it runs, because an engine that has nothing left to follow stops.
        let both = [
            try await follower.download(from: bench.url, to: bench.destination),
            try await follower.download(from: next, to: place),
        ]
        try await bench.running(follower) {
            for handle in both { _ = try await handle.value() }
        }
        leader.applicationWillEnterForeground()
        try await work.value
        #expect(try await bench.store.counts() == [.completed: 2])
    }

    @Test func aPauseThatWasAskedForIsForBoth() async throws {
        let bench = try Bench()
        let (leader, work, follower) = try await pair(bench, .followed)
        let handle = try await follower.download(from: bench.url, to: bench.destination)
        _ = try await leader.pause(handle.id)
        try await work.value
        try await follower.run()
        #expect(try await handle.snapshot.state == .paused)
    }

    @Test func theLastOneThatIsStoppedPausesIt() async throws {
        let bench = try Bench()
        let (leader, work, follower) = try await pair(bench, .followed)
        let handle = try await follower.download(from: bench.url, to: bench.destination)
        follower.stop()
        try await follower.run()
        #expect(try await handle.snapshot.state == .active)
        leader.stop()
        try await work.value
        #expect(try await handle.snapshot.state == .paused)
    }
}
