import FerryTesting

@testable import FerrySQLite

/// What the writer of a store has done so far, and a way to wait for more.
final class EventLog: Sendable {
    private let state = Watched<[StoreEvent]>([])

    /// Everything so far.
    var events: [StoreEvent] { state.withLock { $0 } }

    /// The commits so far.
    var commits: [StoreEvent] {
        events.filter { event in
            if case .committed = event { return true }
            return false
        }
    }

    /// Forgets everything so far.
    func clear() {
        state.withLock { $0 = [] }
    }

    /// Notes an event.
    func note(_ event: StoreEvent) {
        state.withLock { $0.append(event) }
    }

    /// Returns as soon as `isMet` returns true for the events so far.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func wait(until isMet: @escaping @Sendable ([StoreEvent]) -> Bool) async throws {
        try await state.wait { isMet($0) }
    }
}
