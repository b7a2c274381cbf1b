import Dispatch
import Glibc
import Synchronization

/// Writes text to one descriptor, in order, on a thread of its own. A reader that stops reading (a full pipe, Ctrl-S)
/// blocks only that thread.
final class OutputLane: Sendable {
    private struct State {
        var waiting: [[UInt8]] = []
        /// Bytes not written yet.
        var unwritten = 0
        /// Number of pieces written; it grows as long as the reader reads.
        var pieces = 0
        var isWriting = false
        var error: Int32?
        var isHurried = false
        /// Whether the unwritten text is dropped.
        var isGivenUp = false
        var waiters: [Waiter] = []
    }

    private struct Waiter {
        /// The number of unwritten bytes at which it continues.
        var limit: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    /// Unwritten bytes above which callers should wait.
    static let capacity = 256 << 10
    /// Maximum bytes written by one call. A pipe that is being read takes it at once.
    static let longestPiece = 64 << 10
    /// Time without reading after which the rest is dropped, when the command is about to end.
    private static let patience: Duration = .seconds(1)

    private let terminal: Terminal
    private let queue: DispatchQueue
    private let state = Mutex(State())

    init(_ terminal: Terminal) {
        self.terminal = terminal
        queue = DispatchQueue(label: "ferry.output.\(terminal.descriptor)")
    }

    /// The error of the descriptor: `EPIPE` when the reader is gone.
    var error: Int32? { state.withLock { $0.error } }

    /// Whether any text is not written yet.
    var isBehind: Bool { state.withLock { $0.unwritten > 0 } }

    /// Whether more text is unwritten than ``capacity``.
    var isFull: Bool { state.withLock { $0.unwritten > Self.capacity } }

    /// Writes a text after all earlier text; returns at once.
    func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes bytes after all earlier text; returns at once.
    func write(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        let isIdle = state.withLock { state in
            guard state.error == nil else { return false }
            state.waiting.append(bytes)
            state.unwritten += bytes.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isIdle { queue.async { self.writeAll() } }
    }

    /// Waits until there is room for more, the reader is gone, or the command is about to end.
    func room() async {
        guard isFull else { return }
        await wait(forAtMost: Self.capacity)
    }

    /// Ends the waits for room, because the command is about to end.
    func hurry() {
        resume { state in
            state.isHurried = true
            return state.waiters.filter { $0.limit > 0 }
        }
    }

    /// Waits until everything is written; after ``hurry()``, only as long as the reader reads.
    func finish() async {
        guard isBehind else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(forAtMost: 0) }
            group.addTask { await self.watchForStandstill() }
            await group.next()
            group.cancelAll()
            // Also ends the wait for the reader.
            self.resume { state in
                state.isGivenUp = state.unwritten > 0
                return state.waiters
            }
        }
    }

    private func wait(forAtMost limit: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                let isReady =
                    state.unwritten <= limit || state.error != nil || state.isGivenUp
                    || (limit > 0 && state.isHurried)
                if !isReady { state.waiters.append(Waiter(limit: limit, continuation: continuation)) }
                return isReady
            }
            if isOver { continuation.resume() }
        }
    }

    /// Returns when the command is about to end and nothing was read for a while.
    private func watchForStandstill() async {
        var seen: Int?
        while true {
            do {
                try await Task.sleep(for: Self.patience)
            } catch {
                return
            }
            let (pieces, isHurried) = state.withLock { ($0.pieces, $0.isHurried) }
            if isHurried, pieces == seen { return }
            seen = pieces
        }
    }

    private func writeAll() {
        while let piece = nextPiece() {
            let error = terminal.write(piece)
            resume { state in
                state.unwritten -= piece.count
                state.pieces += 1
                if let error {
                    state.error = error
                    state.waiting = []
                    state.unwritten = 0
                }
                return state.waiters.filter { $0.limit >= state.unwritten || error != nil }
            }
        }
    }

    private func nextPiece() -> [UInt8]? {
        state.withLock { state in
            var piece: [UInt8] = []
            var count = 0
            for bytes in state.waiting {
                guard piece.isEmpty || piece.count + bytes.count <= Self.longestPiece else { break }
                piece += bytes
                count += 1
            }
            state.waiting.removeFirst(count)
            state.isWriting = !piece.isEmpty
            return piece.isEmpty ? nil : piece
        }
    }

    /// Changes the state, and resumes the waiters that `change` returns.
    private func resume(_ change: (inout State) -> [Waiter]) {
        let ready = state.withLock { state in
            let ready = change(&state)
            let all = state.waiters
            state.waiters =
                ready.count == all.count
                ? []
                : all.filter { waiter in
                    !ready.contains { $0.limit == waiter.limit }
                }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
