import FerryCore
internal import Synchronization

/// Checks that each end of a transfer with a type is handled: by a process that has its handler, by one at a time, and until
/// a handler has returned.
final class ResultChecker: Sendable {
    private struct State {
        /// The types for which each process has a handler, by the number of the process.
        var types: [Int64: Set<TransferType>] = [:]
        /// The processes that handle an end now, and how often the transfer had changed before.
        var running: [TransferID: (process: SimulatedProcess, changes: Int)] = [:]
        /// How often each transfer has changed its state.
        var changes: [TransferID: Int] = [:]
        /// The ends for which a handler has returned.
        var returned: Set<TransferID> = []
        /// The ends that are noted as handled.
        var noted: Set<TransferID> = []

        mutating func change(_ id: TransferID) {
            changes[id, default: 0] += 1
            returned.remove(id)
            noted.remove(id)
        }
    }

    private let trace: SimulationTrace
    private let state = Mutex(State())

    init(trace: SimulationTrace) { self.trace = trace }

    /// Records that a process has a handler from now on.
    func registered(_ type: TransferType, by process: SimulatedProcess) {
        state.withLock { _ = $0.types[process.number, default: []].insert(type) }
    }

    /// Whether a process has a handler.
    func handles(_ type: TransferType, _ process: SimulatedProcess) -> Bool {
        state.withLock { $0.types[process.number]?.contains(type) ?? false }
    }

    /// Records that transfers have changed their state: what was handled is not their end any more.
    func changed(_ ids: some Sequence<TransferID>) {
        state.withLock { state in for id in ids { state.change(id) } }
    }

    /// Records a power loss. The ends that are not noted as handled now may be handled again.
    func lostPower(_ unhandled: [TransferID]) {
        state.withLock { $0.running = [:] }
        changed(unhandled)
    }

    // MARK: Handlers

    /// Checks ends that a process takes in hand.
    func taken(_ results: [ResultInHand], of type: TransferType, by process: SimulatedProcess) {
        for result in results {
            let id = result.transfer.id
            if !handles(type, process) || result.transfer.type != type {
                trace.complain(
                    "results: \(id) is taken by process \(process.number), which has no handler for it"
                )
            }
            if !result.transfer.state.isFinal {
                trace.complain("results: \(id) is handled and has not ended")
            }
            if state.withLock({ $0.noted.contains(id) }) {
                trace.complain("results: \(id) is handled again, although a handler has returned")
            }
        }
    }

    /// Checks a call of a handler that begins.
    func begins(_ transfer: Transfer, in process: SimulatedProcess) {
        let other = state.withLock { state -> SimulatedProcess? in
            let other = state.running[transfer.id]?.process
            let isHandled = other.map { $0.isRunning && !$0.mayFail } ?? false
            // One that was taken for dead has lost the end that it still begins to handle.
            if isHandled, process.mayFail { return nil }
            state.running[transfer.id] = (process, state.changes[transfer.id, default: 0])
            return isHandled ? other : nil
        }
        if let other {
            trace.complain(
                "results: \(transfer.id) is handled by processes \(other.number), \(process.number) at once"
            )
        }
    }

    /// Records that a call of a handler is over.
    func ends(_ transfer: Transfer, in process: SimulatedProcess, hasReturned: Bool) {
        state.withLock { state in
            guard let call = state.running[transfer.id], call.process === process else { return }
            state.running[transfer.id] = nil
            if hasReturned, call.changes == state.changes[transfer.id, default: 0] {
                state.returned.insert(transfer.id)
            }
        }
    }

    /// Checks that what is noted as handled was handled.
    func noted(_ id: TransferID) {
        let hasReturned = state.withLock { state in
            state.noted.insert(id)
            return state.returned.contains(id)
        }
        if !hasReturned { trace.complain("results: \(id) is noted as handled, and no handler has returned") }
    }

    // MARK: The end

    /// Checks at the end that each end was handled.
    func checkEnd(_ rows: [Transfer]) {
        for row in rows where row.type != nil && row.state.isFinal {
            guard !state.withLock({ $0.noted.contains(row.id) }) else { continue }
            trace.complain("results: no handler has got the end of \(row.id), which is \(row.state.name)")
        }
    }
}
