import Ferry
import FerryCore
import FerryTesting
import Testing

/// Bodies that come from pipes and the like, and are copied.
@Suite("Copied bodies", .timeLimit(.minutes(10)))
struct BodyCopyTests {
    private let bench: Bench
    private let parts: [[UInt8]] = [[1, 2], [], [3]]

    init() throws { bench = try Bench() }

    private func stream(
        _ parts: [[UInt8]],
        failing: (any Error)? = nil
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream { continuation in
            for part in parts { continuation.yield(part) }
            continuation.finish(throwing: failing)
        }
    }

    private func request(
        _ access: some TransferAccess,
        for uuid: TransferUUID
    ) async throws -> RequestSpecification {
        let body = try await access.copyBody(stream(parts), for: uuid)
        return try RequestSpecification(method: .put, url: bench.url, body: body)
    }

    @Test("is sent whole, and its copy is removed when the request is complete")
    func sent() async throws {
        let engine = bench.engine()
        let uuid = TransferUUID()
        let request = try await request(engine, for: uuid)
        #expect(bench.bodies.copies == ["\(uuid)"] && request.body.length == 3)
        let handle = try await engine.send(request)
        #expect(try await handle.snapshot.uuid == uuid, "the transfer has the name of the copy")
        _ = try await bench.running(engine) { try await handle.response() }
        #expect(bench.transport.requests.map(\.bodyBytes) == [[1, 2, 3]])
        #expect(bench.bodies.copies.isEmpty)
    }

    @Test("the copy goes with a transfer that is cancelled, or removed after it has failed")
    func givenUp() async throws {
        let client = bench.client()
        let cancelled = try await client.add(NewTransfer(request(client, for: TransferUUID())))
        let failed = try await client.add(NewTransfer(request(client, for: TransferUUID())))
        try await client.cancel(cancelled.id)
        #expect(try await bench.bodies.copies == ["\(failed.snapshot.uuid)"])
        bench.transport.order(.answer(status: 400, [:]), at: bench.url)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(try await failed.snapshot.state.name == .failed && bench.bodies.copies.count == 1)
        try await client.remove([failed.id])
        #expect(bench.bodies.copies.isEmpty)
        await client.close()
    }

    @Test("a repeated call copies nothing and is the same transfer, also when that is complete")
    func repeated() async throws {
        let engine = bench.engine()
        let uuid = TransferUUID()
        let first = try await engine.send(try await request(engine, for: uuid))
        let again = try await engine.send(try await request(engine, for: uuid))
        _ = try await bench.running(engine) { try await first.response() }
        let last = try await engine.send(try await request(engine, for: uuid))
        #expect(first.id == again.id && again.id == last.id && bench.transport.requests.count == 1)
        #expect(bench.bodies.copies.isEmpty)
    }

    @Test(
        "a call that copied its body while the same call completed is no other one, unless its body has another length",
        arguments: [[[1, 2, 3]], [[1, 2, 3, 4]]]
    )
    func copiedMeanwhile(_ parts: [[UInt8]]) async throws {
        let engine = bench.engine()
        let uuid = TransferUUID()
        let first = try await engine.send(try await request(engine, for: uuid))
        try await bench.running(engine) {
            _ = try await first.response()
            // Its caller asked for the transfer before that was added, and so copied the body.
            let copy = try await bench.bodies.copy(for: uuid)
            for part in parts { try await copy.append(part) }
            let body = StoredBody(try await copy.finish())
            let again = try RequestSpecification(method: .put, url: bench.url, body: body)
            if body.length == 3 {
                #expect(try await engine.send(again).id == first.id)
            } else {
                await #expect(throws: StoreError.otherTransferNamed(uuid, first.id)) {
                    try await engine.send(again)
                }
            }
        }
        #expect(bench.transport.requests.count == 1)
    }

    @Test("without its transfer a copy stays neither after a failure nor when the client is closed")
    func neverAdded() async throws {
        struct Broken: Error {}
        let client = bench.client()
        await #expect(throws: Broken.self) { try await client.copyBody(stream(parts, failing: Broken())) }
        #expect(bench.bodies.copies.isEmpty)
        _ = try await request(client, for: TransferUUID())
        #expect(bench.bodies.copies.count == 1)
        await client.close()
        #expect(bench.bodies.copies.isEmpty)
    }

    @Test("a copy that is cancelled is not taken for a whole body")
    func cancelled() async throws {
        let client = bench.client()
        let (parts, input) = AsyncStream.makeStream(of: [UInt8].self)
        input.yield([1])
        let copy = Task { try await client.copyBody(parts) }
        copy.cancel()
        await #expect(throws: CancellationError.self) { try await copy.value }
        #expect(bench.bodies.copies.isEmpty)
        await client.close()
    }

    @Test("closing the client keeps the copy of a transfer whose adding was not acknowledged")
    func addedWithoutAnswer() async throws {
        let client = bench.client()
        let uuid = TransferUUID()
        let new = NewTransfer(try await request(client, for: uuid))
        _ = try await request(client, for: TransferUUID())
        // The store has it, but the call that adds it has not returned.
        _ = try await bench.store.add([new], holder: nil, at: bench.clock.now)
        await client.close()
        #expect(bench.bodies.copies == ["\(uuid)"])
    }

    @Test("a request under another UUID than that of its copy is refused", arguments: [nil, TransferUUID()])
    func misnamed(_ other: TransferUUID?) async throws {
        let client = bench.client()
        let uuid = TransferUUID()
        var new = NewTransfer(try await request(client, for: uuid), uuid: other)
        #expect(new.uuid == uuid)
        new.uuid = other
        let (flawed, right) = (new, NewTransfer(try await request(client, for: TransferUUID())))
        await #expect(throws: StoreError.self) { try await client.add([right, flawed]) }
        #expect(try await bench.store.counts().isEmpty)
        let added = try await client.add([right])
        #expect(added.first?.transfer.uuid == right.uuid)
        await client.close()
    }

    @Test("a client that closes also removes the copy that a dead process has left, and no other")
    func leftBehind() async throws {
        let client = bench.client()
        let kept = try await client.add(NewTransfer(request(client, for: TransferUUID()))).snapshot.uuid
        let lost = TransferUUID()
        _ = try await request(client, for: lost)
        // As if its process had died, and the kernel had unlocked its copies.
        bench.bodies.release(copiesFor: [lost])
        _ = try await request(client, for: TransferUUID())
        await client.close()
        #expect(bench.bodies.copies == ["\(kept)"])
    }

    @Test("an engine removes the copy of a request that gave way to another while it waited")
    func gaveWay() async throws {
        let client = bench.client()
        var queue = TransferQueue("latest")
        (queue.slots, queue.overflow) = (1, .cancelOldestAlsoWaiting)
        try await client.setQueue(queue)
        func add() async throws -> TransferHandle {
            let request = try await request(client, for: TransferUUID())
            return try await client.add(NewTransfer(request, queue: "latest"))
        }
        let (first, second) = (try await add(), try await add())
        #expect(try await first.snapshot.state == .cancelled && bench.bodies.copies.count == 2)
        try await client.pause(second.id)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(try await bench.bodies.copies == ["\(second.snapshot.uuid)"])
        #expect(try await first.snapshot.remover == .noOne)
        await client.close()
    }

    @Test("an engine removes the copy of a request whose process died before it had done so")
    func leftByADeadProcess() async throws {
        let client = bench.client()
        let handle = try await client.add(NewTransfer(request(client, for: TransferUUID())))
        let owner = try await bench.store.join(bench.machine.spawn().currentProcess, at: bench.clock.now)
        let claimed = try await bench.store.claim(upTo: 1, only: nil, for: owner, at: bench.clock.now)
        let transfer = try #require(claimed.first)
        let settlement = Settlement(.completed, progress: transfer.work.progress)
        let claim = try #require(transfer.claim)
        let settled = try await bench.store.settle(claim, as: settlement, at: bench.clock.now)
        #expect(settled.remover == .anyEngine && bench.bodies.copies.count == 1)
        #expect(
            try await bench.store.prune(Retention(age: nil, count: 0), upTo: 9, at: bench.clock.now).isEmpty
        )
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.bodies.copies.isEmpty)
        #expect(try await handle.snapshot.remover == .noOne)
        await client.close()
    }
}
