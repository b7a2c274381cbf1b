import Synchronization

/// One caller's share in a transfer that other callers may share. The caller's cancel ends the transfer only if it is
/// the last caller.
final class CallerStake: Sendable {
    private struct Wait {
        weak var buffer: UpdateBuffer?
    }

    private struct State {
        var isWithdrawn = false
        var waits: [Wait] = []
    }

    /// The identity of the requested work; see ``TransferWork/identity``.
    let identity: String
    private let state = Mutex(State())

    init(in identity: String) {
        self.identity = identity
    }

    /// Whether this caller has withdrawn.
    var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    /// Withdraws this caller: its updates end.
    func withdraw() {
        let waits = state.withLock { state in
            defer { state.waits = [] }
            state.isWithdrawn = true
            return state.waits
        }
        for wait in waits { wait.buffer?.finish() }
    }

    /// Ends these updates when this caller withdraws.
    func end(_ updates: UpdateBuffer) {
        let isOver = state.withLock { state in
            state.waits.removeAll { $0.buffer == nil }
            if !state.isWithdrawn { state.waits.append(Wait(buffer: updates)) }
            return state.isWithdrawn
        }
        if isOver { updates.finish() }
    }
}
