import FerryCore
import Synchronization
import Testing

@testable import FerryIO

@Suite("Changes that no task has handled", .timeLimit(.minutes(10)))
struct PendingChangesTests {
    @Test func noKindIsPushedOutByAnother() async {
        let pending = PendingChanges()
        let stream = pending.stream {}
        for change in [NetworkChange.routes, .woke, .routes, .routes, .routes] { pending.note(change) }
        pending.finish()
        var seen: [NetworkChange] = []
        for await change in stream { seen.append(change) }
        #expect(seen == [.woke, .routes])
    }

    @Test func whatComesWhileSomebodyIsBusyIsToldAfterwards() async {
        let pending = PendingChanges()
        let stream = pending.stream {}
        pending.note(.routes)
        #expect(await first(of: stream) == .routes)
        // Busy: no task asks for the next change.
        pending.note(.routes)
        pending.note(.woke)
        pending.note(.routes)
        #expect(await first(of: stream) == .woke)
        #expect(await first(of: stream) == .routes)
        async let next = first(of: stream)
        pending.note(.woke)
        #expect(await next == .woke)
    }

    private func first(of stream: AsyncStream<NetworkChange>) async -> NetworkChange? {
        for await change in stream { return change }
        return nil
    }

    @Test func itsEndIsToldWhenNobodyLooksAnyMore() async {
        let (ends, ending) = AsyncStream.makeStream(of: Void.self)
        do {
            let pending = PendingChanges()
            let stream = pending.stream { ending.yield() }
            let reader = Task { for await _ in stream {} }
            reader.cancel()
            await reader.value
        }
        for await _ in ends { break }
    }
}
