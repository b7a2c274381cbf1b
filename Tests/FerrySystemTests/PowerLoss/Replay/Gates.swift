import Synchronization

/// Gates that hold the server's answers, one for each step that is interrupted.
final class Gates: Sendable {
    private struct State {
        var waiting: [(end: Int, gate: Gate)]
        var opened = 0
    }

    private let state: Mutex<State>

    init(_ flow: Flow) {
        // A little more than the test waits for, because bytes in buffers are not yet in the file.
        let ends = flow.steps.compactMap { $0.interruption.map { $0.count + 16 * .kibibyte } }
        state = Mutex(State(waiting: ends.map { ($0, Gate()) }))
    }

    /// The gates for an answer that begins at `start`; none after the last interruption.
    func places(from start: Int) -> [(bytes: Int, gate: Gate)] {
        state.withLock { state in
            guard state.waiting.indices.contains(state.opened) else { return [] }
            let (end, gate) = state.waiting[state.opened]
            return [(max(0, end - start), gate)]
        }
    }

    /// Opens the gate of the interrupted step.
    func openNext() {
        state.withLock { state in
            state.waiting[state.opened].gate.open()
            state.opened += 1
        }
    }

    /// Opens all gates.
    func openAll() {
        state.withLock { state in
            for (_, gate) in state.waiting { gate.open() }
            state.opened = state.waiting.count
        }
    }
}
