import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

/// Responses that are saved in files.
@Suite("Saved responses", .timeLimit(.minutes(10)))
struct SavedResponseTests {
    private let bench: Bench
    private let name: FileName

    init() throws {
        bench = try Bench()
        name = try FileName(userGiven: "file.bin")
    }

    private func request(
        _ method: HTTPRequest.Method = .get,
        replaces: Bool = false
    ) throws -> RequestSpecification {
        var request = try RequestSpecification(method: method, url: bench.url)
        request.responseFile = ResponseFile(directory: "/d", name: name, replacesExisting: replaces)
        request.responseLimit = 10
        return request
    }

    private func response(to request: RequestSpecification) async throws -> StoredResponse {
        let engine = bench.engine()
        let handle = try await engine.send(request)
        return try await bench.running(engine) { try await handle.response() }
    }

    @Test("whole, whatever the limit on stored ones, and after a lost connection from the start")
    func aResponseIsSavedWholeOrNotAtAll() async throws {
        bench.transport.order(.breakAfter(700), at: bench.url)
        let engine = bench.engine()
        let handle = try await engine.send(try request())
        let clock = bench.clock
        let response = try await bench.running(engine) {
            async let response = handle.response()
            _ = await handle.reaches(.waiting)
            clock.advance(by: .seconds(60))
            return try await response
        }
        #expect(response.savedLength == 10_000 && response.body.isEmpty && !response.isTruncated)
        #expect(try bench.published == bench.bytes && bench.transport.requests.count == 2)
    }

    @Test("a refusal is stored, and saved in no file")
    func refusal() async throws {
        bench.transport.order(.answer(status: 404, [:]), at: bench.url)
        await #expect(throws: TransferFailure.self) { try await response(to: request()) }
        #expect(try bench.published == nil)
    }

    @Test("an existing file is replaced only if that was requested, and otherwise nothing is sent")
    func existing() async throws {
        _ = try await response(to: request())
        let refused = await #expect(throws: TransferFailure.self) { try await response(to: request(.post)) }
        #expect(refused?.code == .destinationExists && bench.transport.requests.count == 1)
        bench.transport.set(ScriptedResource([1, 2]), at: bench.url)
        _ = try await response(to: request(replaces: true))
        #expect(try bench.published == [1, 2])
    }

    @Test("an answer that the rule for its type refuses is saved in no file")
    func refusedByARule() async throws {
        let engine = bench.engine(
            .everything(untilDrained: true),
            configure: { $0.responseRules["order"] = { _ in .refused } }
        )
        let handle = try await engine.send(try request(), type: "order")
        try await engine.run()
        #expect(try await handle.snapshot.state.name == .failed)
        #expect(try bench.published == nil)
    }

    @Test("a directory that does not exist is noticed before anything is sent")
    func noDirectory() async throws {
        var request = try request(.post)
        request.responseFile?.directory = "/nowhere"
        let failure = await #expect(throws: TransferFailure.self) { try await response(to: request) }
        #expect(failure?.code == .cannotCreate && bench.transport.requests.isEmpty)
    }
}
