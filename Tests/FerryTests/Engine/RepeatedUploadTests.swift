import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
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
        await client.close()
    }

    @Test("a completed upload is not sent again while the server has the file")
    func completed() async throws {
        let client = bench.client()
        func again(_ change: (inout RequestSpecification) -> Void = { _ in }) async throws -> Transfer {
            let id = try await add(client, upload("/old", change)).transfer.id
            try await bench.engine(.everything(untilDrained: true)).run()
            return try await client.snapshot(of: id)
        }
        bench.transport.set(ScriptedResource([1, 1], entityTag: "\"v1\""), at: bench.url)
        var methods: [HTTPRequest.Method] = [.put]
        var end = try await again()
        func expect(_ more: [HTTPRequest.Method], isUpToDate: Bool, _ comment: String) {
            methods += more
            #expect(bench.transport.requests.map(\.method) == methods, "\(comment)")
            #expect(end.state == .completed, "\(comment)")
            #expect((end.work.progress.note?.code == .upToDate) == isUpToDate, "\(comment)")
        }
        expect([], isUpToDate: false, "sent")
        for _ in 0..<2 {
            end = try await again()
            expect([.head], isUpToDate: true, "the server has it")
        }
        end = try await again { $0.sendsAgain = true }
        expect([.put], isUpToDate: false, "asked for")
        bench.transport.set(ScriptedResource([1, 1], entityTag: "\"v2\""), at: bench.url)
        end = try await again()
        expect([.head, .put], isUpToDate: false, "another version is there")
        // Another file was sent to the URL meanwhile.
        _ = try await add(client, upload("/new"))
        try await bench.engine(.everything(untilDrained: true)).run()
        end = try await again()
        expect([.put, .put], isUpToDate: false, "another file was sent there")
        bench.bodies.change("/old")
        end = try await again()
        expect([.put], isUpToDate: false, "the file was changed")
        await client.close()
    }

    @Test("another file replaces the one that was not sent yet")
    func another() async throws {
        let client = bench.client()
        let first = try await add(client, upload("/old")).transfer
        let second = try await add(
            client,
            upload("/new") { $0.exchange.headers = [.init(name: "Content-Type", value: "text/plain")] }
        )
        #expect(second.transfer.id == first.id)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.map(\.bodyBytes) == [[2, 2, 2]])
        #expect(try await client.snapshot(of: first.id).state == .completed)
        await client.close()
    }

    @Test("one that is to run under other terms is not displaced, until it is paused")
    func otherTerms() async throws {
        let client = bench.client()
        let id = try await add(client, upload("/old")).transfer.id
        let others = [
            try await upload("/new") { $0.exchange.headers = [.init(name: "If-Match", value: "\"1\"")] },
            try await upload("/new") { $0.exchange.credentials = .bearer(token: "wrong") },
        ]
        for other in others {
            let refusal = await #expect(throws: StoreError.self) { try await client.add([other]) }
            #expect("\(refusal.map { "\($0)" } ?? "")".contains("keeps that"))
        }
        let kept = try await client.snapshot(of: id).request?.specification.body
        #expect(try await kept == upload("/old").work.request?.specification.body)
        try await client.pause(id)
        #expect(try await add(client, others[1]).transfer.id == id)
        try await bench.engine(.everything(untilDrained: true)).run()
        #expect(bench.transport.requests.map(\.bodyBytes) == [[2, 2, 2]])
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

    @Test("one that a process holds is not replaced: its caller was promised this file")
    func held() async throws {
        let client = bench.client()
        let id = try await add(client, upload("/old")).transfer.id
        let owner = try await bench.store.join(bench.machine.spawn().currentProcess, at: bench.clock.now)
        _ = try await bench.store.claim(upTo: 1, only: nil, for: owner, at: bench.clock.now)
        let others = [
            try await upload("/new"),
            try await upload("/old") { $0.exchange.headers = [.init(name: "A", value: "1")] },
            try await upload("/old") { $0.exchange.credentials = .bearer(token: "t") },
        ]
        for other in others {
            let refusal = await #expect(throws: StoreError.self) { try await client.add([other]) }
            #expect("\(refusal.map { "\($0)" } ?? "")".contains("keeps that"))
        }
        guard case .attached(let same) = try await add(client, upload("/old")) else {
            Issue.record("not attached")
            return
        }
        #expect(same.id == id && same.state == .active)
        await client.close()
    }
}
