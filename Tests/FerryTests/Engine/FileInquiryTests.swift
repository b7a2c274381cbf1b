import FerryCore
import FerryTesting
import Synchronization
import Testing

@testable import Ferry

/// What a server is asked about a file without a transfer.
@Suite("An inquiry about a file", .timeLimit(.minutes(10)))
struct FileInquiryTests {
    /// The waits that were reported.
    private final class Waits: Sendable {
        private let list = Mutex<[RequestWait]>([])

        var all: [RequestWait] { list.withLock { $0 } }

        func note(_ wait: RequestWait) { list.withLock { $0.append(wait) } }
    }

    private let bench: Bench
    private let engine: TransferEngine
    private let waits = Waits()

    init() throws {
        bench = try Bench()
        engine = bench.engine()
    }

    private func ask(retries: Int = 5) async throws -> FileInquiry.Answer {
        let inquiry = FileInquiry(engine, bench.url, ExchangeTerms(), retries: retries) { [waits] in
            waits.note($0)
        }
        return try await bench.advancing { try await inquiry.answer() }
    }

    private func failure(retries: Int = 5) async -> TransferFailure? {
        do {
            _ = try await ask(retries: retries)
            return nil
        } catch {
            return error as? TransferFailure
        }
    }

    static let unreachable: [Problem] = [
        .transient(.connectionRefused, "It refuses the connection."),
        .transient(.nameNotResolved, "No such name."),
        .condition(.network, .networkUnreachable, "No route."),
    ]

    @Test(arguments: unreachable)
    func aServerThatCannotBeReachedIsNotAskedAgain(_ problem: Problem) async {
        bench.transport.order(.refuse(problem), at: bench.url)
        let code = await failure()?.code
        #expect(code == problem.failure.code)
        #expect(bench.transport.requests.count == 1 && waits.all.isEmpty)
    }

    @Test func withoutARouteItFailsAtOnceAndSaysSo() async {
        bench.network.lose()
        bench.transport.order(.refuse(.transient(.nameNotResolved, "No such name.")), at: bench.url)
        let failure = await failure()
        #expect(failure?.code == .networkUnreachable)
        #expect(failure?.message == "There is no route to origin.example.")
        #expect(bench.transport.requests.count == 1 && waits.all.isEmpty)
    }

    @Test func anOverloadedServerIsAskedAgainAndEachWaitIsReported() async throws {
        for _ in 0..<2 { bench.transport.order(.answer(status: 503, [:]), at: bench.url) }
        let answer = try await ask(retries: 2)
        #expect(answer.length == 10_000)
        #expect(waits.all.map(\.attempt) == [2, 3] && waits.all.map(\.attempts) == [3, 3])
        #expect(waits.all.map(\.failure.code) == [.serverOverloaded, .serverOverloaded])
    }

    @Test func theLastFailureIsNotWaitedFor() async {
        for _ in 0..<2 { bench.transport.order(.answer(status: 503, [:]), at: bench.url) }
        let code = await failure(retries: 1)?.code
        #expect(code == .serverOverloaded)
        #expect(waits.all.map(\.attempt) == [2])
    }
}
