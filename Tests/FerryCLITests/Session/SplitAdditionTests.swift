import Ferry
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// A refused download of a list does not keep the others from being added.
@Suite("Adding what is not refused")
struct SplitAdditionTests {
    private static func refusal(_ number: Int) -> StoreError {
        .notPossible(TransferID(rawValue: Int64(number)), "Transfer \(number) cannot be shared.")
    }

    /// What becomes of the numbers from 0, of which a store refuses some: each is added, or refused as a negative number. And the
    /// number of calls.
    private func outcome(
        of count: Int,
        refusing refused: Set<Int>
    ) async throws -> (told: [Int], calls: Int) {
        var (told, calls) = ([Int](), 0)
        try await SplitAddition.run(Array(0..<count)[...]) { items in
            calls += 1
            if let first = items.first(where: refused.contains) { throw Self.refusal(first) }
            return items
        } isRefusal: { _ in
            true
        } tell: { items, result in
            switch result {
            case .success(let added):
                #expect(added == Array(items))
                told += added
            case .failure(let error):
                #expect(items.count == 1 && error == Self.refusal(items[items.startIndex]))
                told += items.map { -$0 }
            }
        }
        return (told, calls)
    }

    @Test(
        "the refused ones are left out, and the order stays",
        arguments: [
            (1, []), (1, [0]), (2, [1]), (5, [2]), (5, [0, 4]), (7, [1, 2, 3]), (100, [99]),
            (4, [0, 1, 2, 3]),
        ] as [(Int, Set<Int>)]
    )
    func leavesOutOnlyTheRefused(_ count: Int, _ refused: Set<Int>) async throws {
        let told = try await outcome(of: count, refusing: refused).told
        #expect(told == (0..<count).map { refused.contains($0) ? -$0 : $0 })
    }

    @Test("all are added at once unless one is refused, and a refusal costs few further commits")
    func callsAreFew() async throws {
        #expect(try await outcome(of: 1000, refusing: []).calls == 1)
        #expect(try await outcome(of: 1000, refusing: [617]).calls <= 21)
    }

    @Test("an error that is about all of them is thrown, and nothing more is tried")
    func otherErrorsEndIt() async throws {
        var calls = 0
        let full = StoreError.writeFailed(path: "/store", "full", isDiskFull: true)
        do {
            try await SplitAddition.run([1, 2, 3][...]) { _ -> Int in
                calls += 1
                throw full
            } isRefusal: { error in
                error.refusesOne(of: [])
            } tell: { _, _ in
                Issue.record("nothing was added")
            }
            Issue.record("the error was swallowed")
        } catch {
            #expect(error as? StoreError == full)
        }
        #expect(calls == 1)
    }

    @Test("a transfer after which all downloads come refuses all of them")
    func dependenciesAreOfAll() throws {
        let url = try HTTPURL(parsing: "http://127.0.0.1/a")
        let specification = DownloadSpecification(
            url: url,
            destination: .file(directory: "/data", name: nil),
            options: DownloadOptions()
        )
        let new = NewTransfer(specification, after: [TransferID(rawValue: 7)])
        #expect(!Self.refusal(7).refusesOne(of: [new]))
        #expect(Self.refusal(8).refusesOne(of: [new]))
        #expect(StoreError.damagedTransfer(TransferID(rawValue: 8), "").refusesOne(of: [new]))
        #expect(!StoreError.noSuchTransfer(TransferID(rawValue: 7)).refusesOne(of: [new]))
    }

    @Test("a refused download counts as failed, and its status is that of its place")
    func countsAsFailed() throws {
        var ledger = RunLedger(order: [TransferID(rawValue: 3)], tellingInterval: .seconds(5))
        ledger.refuse(.other)
        #expect(ledger.exitStatus == .other && ledger.tally.failed == 1)
        ledger.expect([TransferID(rawValue: 4)])
        let failure = TransferFailure(.notFound, "Nothing there.")
        _ = ledger.take(Sample.update(try Sample.transfer(id: 4, state: .failed(failure))), at: Sample.now)
        #expect(ledger.exitStatus == .other, "the first failure counts")
        _ = ledger.take(Sample.update(try Sample.transfer(id: 3, state: .failed(failure))), at: Sample.now)
        #expect(ledger.exitStatus == .notFound, "the first failure counts")
        #expect(ledger.summaryLines == ["0 completed, 3 failed, 0 B."])
    }
}
