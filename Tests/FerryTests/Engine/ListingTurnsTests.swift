import FerryCore
import Synchronization
import Testing

@testable import Ferry

/// Listings are read one after the other, and only as long as someone needs them.
@Suite struct ListingTurnsTests {
    /// The number of readings in progress.
    private final class Running: Sendable {
        let count = Atomic(0)
    }

    @Test func listingsAreReadOneAfterTheOther() async throws {
        let turns = ListingTurns()
        let running = Running()
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await turns.read {
                        let others = running.count.wrappingAdd(1, ordering: .relaxed).oldValue
                        defer { running.count.wrappingSubtract(1, ordering: .relaxed) }
                        return others
                    }
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 0)
    }

    /// What a reader finds after it was told to stop must not count as an answer of the server.
    @Test func aStoppedReadingIsNoFailureOfTheServer() async {
        let turns = ListingTurns()
        let task = Task {
            try await turns.read { () throws -> Int in
                while !Task.isCancelled {}
                throw Problem.permanent(.badResponse, "This is not a directory listing that Ferry can read.")
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
