import Ferry
import FerryCore
import HTTPTypes
import Testing

@testable import FerryCLI
@testable import FerryFrontend

/// Which failures a list only counts.
@Suite("Old failures")
struct OldFailureTests {
    private static let failure = TransferFailure(.notFound, "There is nothing.")

    private static func isOld(
        _ state: TransferState,
        received: Int64 = 0,
        after age: Duration
    ) throws -> Bool {
        try Sample.transfer(state: state, received: received, length: 10)
            .isOldFailureWithoutBytes(at: Sample.now.advanced(by: age))
    }

    @Test("a download that failed without data is old after a day")
    func age() throws {
        #expect(try !Self.isOld(.failed(Self.failure), after: .seconds(86_400)))
        #expect(try Self.isOld(.failed(Self.failure), after: .seconds(86_401)))
    }

    @Test("a failure with bytes can be resumed, and any other state is no failure")
    func others() throws {
        let late = Duration.seconds(1_000_000)
        #expect(try !Self.isOld(.failed(Self.failure), received: 1, after: late))
        for state in [TransferState.queued, .paused, .waiting(.network), .completed, .cancelled] {
            #expect(try !Self.isOld(state, after: late), "\(state)")
        }
    }

    @Test("a request that failed stays in the list")
    func requests() throws {
        let url = try HTTPURL(parsing: "https://example.org/orders")
        let new = NewTransfer(try RequestSpecification(method: .post, url: url))
        var transfer = Transfer(id: TransferID(rawValue: 3), adding: new, at: Sample.now)
        transfer.state = .failed(Self.failure)
        #expect(!transfer.isOldFailureWithoutBytes(at: Sample.now.advanced(by: .seconds(1_000_000))))
    }
}
