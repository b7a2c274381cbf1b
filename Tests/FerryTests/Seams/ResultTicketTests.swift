import FerryCore
import Testing

@testable import Ferry

/// A result for several callers.
@Suite(.timeLimit(.minutes(10)))
struct ResultTicketTests {
    @Test func allWhoWaitGetWhatCameFirstAndSoDoThoseWhoComeLate() async throws {
        let ticket = ResultTicket<[UInt8]>()
        let early = Task { try await ticket.value() }
        ticket.end(.success([1]))
        ticket.end(.failure(CancellationError()))
        #expect(try await early.value == [1])
        #expect(try await ticket.value() == [1])
    }

    @Test func whoIsCancelledWaitsNoLongerAndTakesNothingFromTheOthers() async throws {
        let ticket = ResultTicket<[UInt8]>()
        let impatient = Task { try await ticket.value() }
        let patient = Task { try await ticket.value() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        ticket.end(.success([2]))
        #expect(try await patient.value == [2])
    }
}
