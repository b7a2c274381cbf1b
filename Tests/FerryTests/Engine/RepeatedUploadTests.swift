import Ferry
import FerryCore
import FerryTesting
import Testing

/// Uploads to one URL, of which only the latest counts.
@Suite("Repeated uploads", .timeLimit(.minutes(10)))
struct RepeatedUploadTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        bench.bodies.put([1, 1], at: "/old")
        bench.bodies.put([2, 2, 2], at: "/new")
    }

    private func upload(
        _ path: String,
        _ change: (inout RequestSpecification) -> Void = { _ in }
    ) async throws
        -> NewTransfer
    {
        let file = try await bench.bodies.pin(path)
        var request = try RequestSpecification(method: .put, url: bench.url, body: StoredBody(file))
        request.replacesUnfinished = true
        change(&request)
        return NewTransfer(request)
    }

    private func add(_ client: TransferClient, _ new: NewTransfer) async throws -> Addition {
        try #require(try await client.add([new]).first)
    }

    @Test("the same file to the same URL is one upload until that has ended")
    func same() async throws {
        let client = bench.client()
        guard case .added(let first) = try await add(client, upload("/old")),
            case .attached(let second) = try await add(client, upload("/old"))
        else {
            Issue.record("added twice")
            return
        }
        #expect(first.id == second.id)
        try await client.pause(first.id)
        #expect(try await add(client, upload("/old")).transfer.state == .queued, "it is resumed")
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.count == 1)
        guard case .added = try await add(client, upload("/old")) else {
            Issue.record("a completed upload was not sent again")
            return
        }
        await client.close()
    }

    @Test("another file replaces the one that was not sent yet")
    func another() async throws {
        let client = bench.client()
        let first = try await add(client, upload("/old")).transfer
        let second = try await add(
            client,
            upload("/new") { $0.exchange.headers = [.init(name: "A", value: "1")] }
        )
        #expect(second.transfer.id == first.id)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.map(\.bodyBytes) == [[2, 2, 2]])
        #expect(try await client.snapshot(of: first.id).state == .completed)
        await client.close()
    }

    @Test("a failed upload is queued again with the new file")
    func failed() async throws {
        let client = bench.client()
        let first = try await add(client, upload("/old")).transfer
        bench.bodies.put([1, 2], at: "/old")
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(try await client.snapshot(of: first.id).state.name == .failed)
        guard case .revived(let again) = try await add(client, upload("/old")) else {
            Issue.record("not revived")
            return
        }
        #expect(again.id == first.id)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.map(\.bodyBytes) == [[1, 2]])
        await client.close()
    }

    @Test("other URLs, methods and requests without the property are uploads of their own")
    func apart() async throws {
        let client = bench.client()
        let other = try HTTPURL(parsing: "http://origin.example/other")
        var ids: Set<TransferID> = []
        for change in [
            { (_: inout RequestSpecification) in }, { $0.url = other }, { $0.replacesUnfinished = false },
            { $0.replacesUnfinished = false }, { $0.method = .delete }, { $0.method = .post },
        ] as [(inout RequestSpecification) -> Void] {
            ids.insert(try await add(client, upload("/old", change)).transfer.id)
        }
        #expect(ids.count == 6)
        await client.close()
    }

    @Test(
        "the end of an attempt with the former file is not the end of the upload",
        arguments: [true, false]
    )
    func overtaken(succeeds: Bool) async throws {
        let client = bench.client()
        let id = try await add(client, upload("/old")).transfer.id
        let owner = try await bench.store.join(bench.machine.spawn().currentProcess, at: bench.clock.now)
        let claimed = try #require(
            try await bench.store.claim(
                upTo: 1,
                only: nil,
                heldBack: HeldBack(),
                beside: [],
                for: owner,
                at: bench.clock.now
            ).first
        )
        let work = try #require(claimed.request)
        var machine = RequestMachine(work)
        guard case .record(var progress)? = machine.handle(.begin, at: bench.clock.now).first else {
            Issue.record("nothing to record")
            return
        }
        let running = try await add(client, upload("/new")).transfer
        #expect(running.id == id && running.state == .active && running.wish == .reload)
        progress.response = StoredResponse(status: succeeds ? 201 : 400, fields: [], body: [])
        let failure = TransferFailure(.refused, "400")
        let settlement = Settlement(
            succeeds ? .completed : .failed(failure),
            progress: .request(progress),
            failure: succeeds ? nil : failure
        )
        let claim = try #require(claimed.claim)
        let settled = try await bench.store.settle(claim, as: settlement, at: bench.clock.now)
        #expect(settled.state == .queued && settled.attempts == 0 && settled.latestFailure == nil)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.map(\.bodyBytes) == [[2, 2, 2]])
        #expect(try await client.snapshot(of: id).state == .completed)
        await client.close()
    }
}
