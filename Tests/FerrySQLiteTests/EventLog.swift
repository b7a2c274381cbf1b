import Synchronization

@testable import FerrySQLite

/// What the writer of a store has done so far, and a way to wait for more.
final class EventLog: Sendable {
    private struct Waiter {
        var isMet: @Sendable ([StoreEvent]) -> Bool
        var resume: @Sendable () -> Void
    }

    private struct State {
        var events: [StoreEvent] = []
        var waiters: [Waiter] = []
    }

    private let state = Mutex(State())

    /// Everything so far.
    var events: [StoreEvent] { state.withLock { $0.events } }

    /// The commits so far.
    var commits: [StoreEvent] {
        events.filter { event in
            if case .committed = event { return true }
            return false
        }
    }

    /// Forgets everything so far.
    func clear() {
        state.withLock { $0.events = [] }
    }

    /// Notes an event.
    func note(_ event: StoreEvent) {
        let met = state.withLock { state in
            state.events.append(event)
            let met = state.waiters.filter { $0.isMet(state.events) }
            state.waiters.removeAll { $0.isMet(state.events) }
            return met
        }
        for waiter in met { waiter.resume() }
    }

    /// Returns as soon as the events so far are as `isMet` wants them.
    func wait(until isMet: @escaping @Sendable ([StoreEvent]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetNow = state.withLock { state in
                if isMet(state.events) { return true }
                state.waiters.append(Waiter(isMet: isMet, resume: { continuation.resume() }))
                return false
            }
            if isMetNow { continuation.resume() }
        }
    }
}
