import Synchronization

/// What one caller of `download` has in a transfer in which others may have as much: its cancel ends the transfer only
/// when it was the last of them.
final class CallerStake: Sendable {
    private struct Wait {
        weak var buffer: UpdateBuffer?
    }

    private struct State {
        var isWithdrawn = false
        var waits: [Wait] = []
    }

    /// What it was asked for by; see ``DownloadSpecification/identity``.
    let identity: String
    private let state = Mutex(State())

    init(in identity: String) {
        self.identity = identity
    }

    /// Whether this caller wants nothing of it any more.
    var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    /// This caller wants nothing of it any more: what it waits for ends.
    func withdraw() {
        let waits = state.withLock { state in
            defer { state.waits = [] }
            state.isWithdrawn = true
            return state.waits
        }
        for wait in waits { wait.buffer?.finish() }
    }

    /// Lets updates end when this caller withdraws.
    func end(_ updates: UpdateBuffer) {
        let isOver = state.withLock { state in
            state.waits.removeAll { $0.buffer == nil }
            if !state.isWithdrawn { state.waits.append(Wait(buffer: updates)) }
            return state.isWithdrawn
        }
        if isOver { updates.finish() }
    }
}
