import FerryCore
import Testing

@testable import Ferry

@Suite("What is recorded of an exchange (I8)")
struct ExchangeRecordTests {
    /// - Parameter departures: how many requests, of all redirects, may have left.
    private func hasLeft(after departures: Int, _ problem: Problem) throws -> Bool {
        let record = ExchangeRecord { _ in }
        for _ in 0..<departures { record.requestMayLeave() }
        guard case .failed(problem, let hasLeft) = record.end(problem) else {
            Issue.record("no failure")
            return false
        }
        return hasLeft
    }

    @Test func lostRequestMayHaveArrived() throws {
        let lost = Problem.transient(.connectionLost, "Lost.")
        #expect(try [0, 1, 2].map { try hasLeft(after: $0, lost) } == [false, true, true])
    }

    @Test func refusalBeforeTheRequestIsReadDeniesOnlyThatRequest() throws {
        var refusal = Problem.permanent(.tlsFailed, "It requires a client certificate.")
        refusal.precedesRequest = true
        #expect(try [0, 1, 2].map { try hasLeft(after: $0, refusal) } == [false, false, true])
    }
}
