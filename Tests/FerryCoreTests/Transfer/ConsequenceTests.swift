import FerryCore
import HTTPTypes
import Testing

@Suite("A transfer whose predecessor does not complete")
struct ConsequenceTests {
    private static let now = Instant(seconds: 1_800_000_000)

    private static func transfer(_ number: Int64, _ request: RequestSpecification) -> Transfer {
        Transfer(id: TransferID(rawValue: number), adding: NewTransfer(request), at: now)
    }

    private static func request() throws -> RequestSpecification {
        try RequestSpecification(method: .post, url: HTTPURL(parsing: "https://api.example/orders"))
    }

    /// How the first transfer ended, and the remedies of one behind it that takes no values.
    private static let ends: [(state: TransferState, remedies: [Remedy])] = [
        (.cancelled, [.dropOrder]),
        (.failed(TransferFailure(.timeout, "It is so.")), [.retryFirst(first), .retry, .dropOrder]),
        (
            .failed(TransferFailure(.attemptsExhausted, "It is so.", cause: .timeout)),
            [.retryFirst(first), .retry, .dropOrder]
        ),
        (.failed(TransferFailure(.outcomeUnknown, "It is so.")), [.confirmFirst(first), .retry, .dropOrder]),
        (
            .failed(TransferFailure(.responseLost, "It is so.", cause: .diskFull)),
            [.acceptLossFirst(first), .retry, .dropOrder]
        ),
    ]
    private static let first = TransferID(rawValue: 7)

    @Test func isToldWhatLetsThatOneComplete() throws {
        for (state, remedies) in Self.ends {
            var first = try Self.transfer(7, Self.request())
            first.state = state
            #expect(first.failureOfDependents?.remedies == remedies, "\(state)")
        }
    }

    /// It cannot run without the transfers from which it takes values.
    @Test func isNotToldToRunWithoutItIfItTakesItsValues() throws {
        for (state, remedies) in Self.ends {
            var first = try Self.transfer(7, Self.request())
            first.state = state
            let failure = try #require(first.failureOfDependents)
            var taking = try Self.request()
            try taking.insert("id", from: first.uuid, at: "/id")
            for (number, request) in [(Int64(8), try Self.request()), (9, taking)] {
                var transfer = Self.transfer(number, request)
                transfer.comeAfter([first.id], at: Self.now)
                let hasFailed = transfer.dependencyFailed(failure, at: Self.now)
                #expect(hasFailed)
                guard case .failed(let consequence) = transfer.state else {
                    Issue.record("\(transfer.state)")
                    continue
                }
                let others = remedies.filter { $0 != .dropOrder }
                let possible = others.isEmpty ? [.addWithOtherOptions] : others
                #expect(consequence.remedies == (number == 8 ? remedies : possible), "\(state)")
            }
        }
    }
}
