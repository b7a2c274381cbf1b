import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@testable import Ferry

@Suite("Handlers of results", .timeLimit(.minutes(10)))
struct HandlingTests {
    private struct Photo: Decodable, Equatable {
        var id: Int
    }

    private struct Unready: Error {}

    /// The calls of a handler, in order.
    private final class Calls: Sendable {
        private let all = Watched<[TransferID]>([])
        var ids: [TransferID] { all.withLock { $0 } }

        func add(_ transfer: Transfer) -> Int {
            all.withLock { all in
                all.append(transfer.id)
                return all.count { $0 == transfer.id }
            }
        }

        func reach(_ count: Int) async throws { try await all.wait { $0.count >= count } }
    }

    /// Returns only when the task is cancelled.
    private static func hang() async throws {
        for await _ in AsyncStream<Void>.makeStream().stream {}
        throw CancellationError()
    }

    private func bench(_ body: String = #"{"id":7}"#) throws -> Bench {
        let bench = try Bench()
        bench.transport.set(ScriptedResource(Array(body.utf8)), at: bench.url)
        return bench
    }

    private func request(_ bench: Bench) throws -> RequestSpecification {
        try RequestSpecification(method: .put, url: bench.url)
    }

    /// Ends `count` requests with a type, in an engine that has no handler.
    private func sent(_ count: Int = 1, _ bench: Bench) async throws -> [TransferID] {
        let engine = bench.engine()
        var ids: [TransferID] = []
        for _ in 0..<count {
            ids.append(try await engine.start(NewTransfer(request(bench), type: "photo.created")).id)
        }
        try await engine.run()
        return ids
    }

    @Test(arguments: [EngineConfiguration.Scope.followed, .everything(untilDrained: true)])
    func theResponseIsDecodedAndHandledOnce(_ scope: EngineConfiguration.Scope) async throws {
        let bench = try bench()
        let engine = bench.engine(scope)
        let calls = Calls()
        engine.handle("photo.created", as: Photo.self) { photo, transfer in
            #expect(photo == Photo(id: 7) && transfer.state == .completed)
            _ = calls.add(transfer)
        }
        let handle = try await engine.start(NewTransfer(request(bench), type: "photo.created"))
        _ = try await engine.start(NewTransfer(request(bench), type: "photo.deleted"))
        _ = try await engine.send(request(bench))
        try await engine.run()
        #expect(calls.ids == [handle.id], "it was handled before the engine ended")
        let next = bench.engine(.everything(untilDrained: true))
        next.handle("photo.created") { _ = calls.add($0) }
        try await next.run()
        #expect(calls.ids == [handle.id])
    }

    @Test func whatEndedBeforeThereWasAHandlerIsHandledAfterARestart() async throws {
        let bench = try bench()
        let ids = try await sent(20, bench)
        let engine = bench.engine(.everything(untilDrained: true))
        let calls = Calls()
        engine.handle("photo.created", as: Photo.self) { _ = calls.add($1) }
        try await engine.run()
        #expect(calls.ids.sorted() == ids)
    }

    @Test func aHandlerThatIsSetWhileTheEngineRunsGetsWhatThereIs() async throws {
        let bench = try bench()
        let ids = try await sent(1, bench)
        let engine = bench.engine(.everything(untilDrained: false))
        let calls = Calls()
        try await bench.running(engine) {
            _ = await engine.isResponsive()
            engine.handle("photo.created") { _ = calls.add($0) }
            try await calls.reach(1)
        }
        #expect(calls.ids == ids)
    }

    @Test func anotherProcessHandlesWhatThisOneSends() async throws {
        let bench = try bench()
        let handling = bench.engine(.everything(untilDrained: false))
        let other = bench.engine(.everything(untilDrained: false))
        let calls = Calls()
        for engine in [handling, other] { engine.handle("photo.created") { _ = calls.add($0) } }
        try await bench.running(handling) {
            try await bench.running(other) {
                let ids = try await sent(30, bench)
                try await calls.reach(30)
                #expect(calls.ids.sorted() == ids, "each is handed to one of them")
            }
        }
        #expect(calls.ids.count == 30)
    }

    @Test func everyOtherEndIsHandledToo() async throws {
        let bench = try bench()
        let engine = bench.engine(.everything(untilDrained: true))
        let missing = try HTTPURL(parsing: "http://origin.example/missing")
        bench.transport.order(.answer(status: 404, [:]), at: missing)
        let failed = try await engine.start(
            NewTransfer(RequestSpecification(url: missing), type: "photo.created")
        )
        let cancelled = try await engine.start(NewTransfer(request(bench), type: "photo.created"))
        try await cancelled.cancel()
        var download = NewTransfer(DownloadSpecification(url: bench.url, destination: try bench.destination))
        download.type = "photo.created"
        let completed = try await engine.add([download])[0].transfer.id
        let (calls, decoded) = (Calls(), Calls())
        engine.handle(
            "photo.created",
            as: Photo.self,
            otherwise: { transfer in
                _ = calls.add(transfer)
                switch transfer.state {
                case .failed(let failure): #expect(failure.code == .notFound && transfer.id == failed.id)
                case .cancelled: #expect(transfer.id == cancelled.id)
                default: #expect(transfer.id == completed && transfer.result != nil)
                }
            },
            { _ = decoded.add($1) }
        )
        try await engine.run()
        #expect(calls.ids.sorted() == [failed.id, cancelled.id, completed] && decoded.ids == [])
    }

    @Test func oneThatThrowsIsCalledAgainLaterAndDelaysNoOther() async throws {
        let bench = try bench()
        let ids = try await sent(12, bench)
        let engine = bench.engine(.everything(untilDrained: false))
        let calls = Calls()
        engine.handle("photo.created") { transfer in
            if calls.add(transfer) < 5, transfer.id == ids[0] { throw Unready() }
        }
        try await bench.running(engine) {
            try await calls.reach(12)
            #expect(Set(calls.ids) == Set(ids), "the others did not wait")
            try await bench.advance { calls.ids.count == 16 }
        }
        #expect(calls.ids.count { $0 == ids[0] } == 5 && calls.ids.count == 16)
    }

    @Test func aBodyThatCannotBeDecodedIsKeptForALaterVersion() async throws {
        let bench = try bench("[]")
        let ids = try await sent(1, bench)
        let calls = Calls()
        let engine = bench.engine(.everything(untilDrained: true))
        engine.handle("photo.created", as: Photo.self) { _ = calls.add($1) }
        try await engine.run()
        #expect(calls.ids == [])
        let next = bench.engine(.everything(untilDrained: false))
        next.handle("photo.created", as: [Photo].self) { photos, transfer in
            #expect(photos == [])
            _ = calls.add(transfer)
        }
        try await bench.running(next) { try await bench.advance { calls.ids == ids } }
    }

    @Test func anEngineThatEndsByItselfLeavesWhatHasFailedToTheNext() async throws {
        let bench = try bench()
        let ids = try await sent(3, bench)
        let calls = Calls()
        let engine = bench.engine(.everything(untilDrained: true))
        engine.handle("photo.created") { transfer in
            _ = calls.add(transfer)
            throw Unready()
        }
        try await engine.run()
        #expect(Set(calls.ids) == Set(ids) && calls.ids.count >= 3)
    }

    @Test func aStopCancelsTheCallAndTheResultIsHandledLater() async throws {
        let bench = try bench()
        let ids = try await sent(1, bench)
        let calls = Calls()
        let engine = bench.engine(.everything(untilDrained: false))
        engine.handle("photo.created") { transfer in
            _ = calls.add(transfer)
            try await Self.hang()
        }
        try await bench.running(engine) { try await calls.reach(1) }
        let next = bench.engine(.everything(untilDrained: true))
        next.handle("photo.created") { _ = calls.add($0) }
        try await next.run()
        #expect(calls.ids == ids + ids, "at once: an interrupted call is no failure")
    }

    @Test func twoEndsOfOneTransferAreHandledOneAfterTheOther() async throws {
        let bench = try bench()
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        let engine = bench.engine(.everything(untilDrained: false))
        let (calls, mayReturn) = (Calls(), Watched(false))
        engine.handle("photo.created") { transfer in
            _ = calls.add(transfer)
            if transfer.state.name == .failed { try await mayReturn.wait { $0 } }
        }
        try await bench.running(engine) {
            let first = try await engine.start(NewTransfer(request(bench), type: "photo.created"))
            try await calls.reach(1)
            _ = try await engine.resume(first.id)
            _ = await first.reaches(.completed)
            // That this one is handled shows that the engine has looked since.
            let second = try await engine.start(NewTransfer(request(bench), type: "photo.created"))
            try await calls.reach(2)
            #expect(calls.ids == [first.id, second.id])
            mayReturn.withLock { $0 = true }
            try await calls.reach(3)
            #expect(calls.ids == [first.id, second.id, first.id])
        }
    }

    @Test func aResultInTheHandsOfAProcessThatDiedIsHandedOutAgain() async throws {
        let bench = try bench()
        let ids = try await sent(1, bench)
        let process = bench.machine.spawn()
        let owner = try await bench.store.join(process.currentProcess, at: bench.clock.now)
        let given = try await bench.store.takeResults(
            of: "photo.created",
            upTo: 1,
            for: owner,
            at: bench.clock.now
        )
        #expect(given.map(\.transfer.id) == ids)
        let calls = Calls()
        let early = bench.engine(.everything(untilDrained: true))
        early.handle("photo.created") { _ = calls.add($0) }
        try await early.run()
        #expect(calls.ids == [], "that process is alive")
        bench.machine.kill(process)
        let engine = bench.engine(.everything(untilDrained: true))
        engine.handle("photo.created") { _ = calls.add($0) }
        try await engine.run()
        #expect(calls.ids == ids)
    }

    @Test func oneTypeThatIsBusyDelaysNoOther() async throws {
        let bench = try bench()
        let engine = bench.engine(.everything(untilDrained: false))
        let (calls, others) = (Calls(), Calls())
        engine.handle("slow") { transfer in
            _ = calls.add(transfer)
            try await Self.hang()
        }
        engine.handle("quick") { _ = others.add($0) }
        try await bench.running(engine) {
            for _ in 0..<10 { _ = try await engine.start(NewTransfer(request(bench), type: "slow")) }
            try await calls.reach(ResultHandlers.mostAtOnce)
            let quick = try await engine.start(NewTransfer(request(bench), type: "quick"))
            try await others.reach(1)
            #expect(others.ids == [quick.id] && calls.ids.count == ResultHandlers.mostAtOnce)
        }
    }
}
