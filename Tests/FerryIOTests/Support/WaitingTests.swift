import FerryTesting
import Testing

/// A test whose event never comes must fail, and not hang.
@Suite("Waiting beside work", .timeLimit(.minutes(10)))
struct WaitingTests {
    private struct Failed: Error {}

    @Test func theWorkIsWhatIsReturned() async throws {
        let event = Watched(0)
        let value = try await perform {
            event.withLock { $0 = 1 }
            try await event.wait { $0 == 2 }
            return 7
        } meanwhile: {
            try await event.wait { $0 == 1 }
            event.withLock { $0 = 2 }
        }
        #expect(value == 7)
    }

    @Test func workThatFailsFirstEndsTheWaitAndIsTheReason() async {
        let event = Watched(false)
        await #expect(throws: Failed.self) {
            try await perform {
                throw Failed()
            } meanwhile: {
                try await event.wait { $0 }
            }
        }
    }

    @Test func workThatEndsWellFirstEndsTheWaitWithAnError() async {
        let event = Watched(false)
        await #expect(throws: EndedTooEarly.self) {
            try await perform {
            } meanwhile: {
                try await event.wait { $0 }
            }
        }
    }

    @Test func stepsThatFailCancelTheWork() async {
        let event = Watched(false)
        await #expect(throws: Failed.self) {
            try await perform {
                try await event.wait { $0 }
            } meanwhile: {
                throw Failed()
            }
        }
    }

    @Test func whatIsTakenOutIsForOneWaiter() async throws {
        let event = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await event.wait { count in
                        guard count > 0 else { return false }
                        count -= 1
                        return true
                    }
                }
            }
            event.withLock { $0 += 1 }
            try await group.next()
            #expect(event.withLock { $0 } == 0)
            event.withLock { $0 += 1 }
            try await group.next()
        }
        #expect(event.withLock { $0 } == 0)
    }

    @Test func aWaitOfACancelledTaskEndsAtOnce() async {
        let event = Watched(false)
        let waiting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await event.wait { $0 }
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
