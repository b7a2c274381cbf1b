import Synchronization

/// Where the answers wait that a flow's steps are interrupted in, one for each such step.
final class Gates: Sendable {
    private struct State {
        var waiting: [(end: Int, gate: Gate)]
        var opened = 0
    }

    private let state: Mutex<State>

    init(_ flow: Flow) {
        // A little more than is waited for: what is on its way in buffers is not in the file.
        let ends = flow.steps.compactMap { $0.interruption.map { $0.count + 16 * .kibibyte } }
        state = Mutex(State(waiting: ends.map { ($0, Gate()) }))
    }

    /// Where an answer that begins at `start` is to wait; nowhere once every interruption has been.
    func places(from start: Int) -> [(bytes: Int, gate: Gate)] {
        state.withLock { state in
            guard state.waiting.indices.contains(state.opened) else { return [] }
            let (end, gate) = state.waiting[state.opened]
            return [(max(0, end - start), gate)]
        }
    }

    /// Lets the answer go that was interrupted.
    func openNext() {
        state.withLock { state in
            state.waiting[state.opened].gate.open()
            state.opened += 1
        }
    }

    /// Lets every answer go.
    func openAll() {
        state.withLock { state in
            for (_, gate) in state.waiting { gate.open() }
            state.opened = state.waiting.count
        }
    }
}
