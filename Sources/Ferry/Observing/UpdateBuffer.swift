import FerryCore
import Synchronization

/// The updates that one observer has not taken yet: the latest of each transfer, with every note, in the order
/// in which the transfers first changed. Its size is bounded by the number of transfers, not by how often they
/// change.
final class UpdateBuffer: Sendable {
    private struct State {
        var order: [TransferID] = []
        /// How many of `order` have been taken; they are dropped together, since each removal would move all the rest.
        var taken = 0
        var pending: [TransferID: TransferUpdate] = [:]
        /// The number of the latest update of each transfer that was put in.
        var latest: [TransferID: Int] = [:]
        var waiting: CheckedContinuation<TransferUpdate?, Never>?
        var isFinished = false

        mutating func take() -> TransferUpdate? {
            guard taken < order.count else { return nil }
            defer {
                taken += 1
                if taken * 2 >= order.count {
                    order.removeFirst(taken)
                    taken = 0
                }
            }
            return pending.removeValue(forKey: order[taken])
        }
    }

    private let state = Mutex(State())

    /// Puts an update in. `number` grows with every change of a transfer: those who put may overtake each other,
    /// and what is older than what is there must not take its place.
    func put(_ update: TransferUpdate, number: Int) {
        let resumption = state.withLock {
            state -> (CheckedContinuation<TransferUpdate?, Never>, TransferUpdate)? in
            guard !state.isFinished, number > state.latest[update.transfer.id] ?? 0 else { return nil }
            state.latest[update.transfer.id] = number
            if let waiting = state.waiting {
                state.waiting = nil
                return (waiting, update)
            }
            if let earlier = state.pending[update.transfer.id] {
                var merged = update
                merged.notes = earlier.notes + update.notes
                state.pending[update.transfer.id] = merged
            } else {
                state.order.append(update.transfer.id)
                state.pending[update.transfer.id] = update
            }
            return nil
        }
        if let (waiting, update) = resumption { waiting.resume(returning: update) }
    }

    func finish() {
        let waiting = state.withLock { state -> CheckedContinuation<TransferUpdate?, Never>? in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    func next() async -> TransferUpdate? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, isReady) = state.withLock { state -> (TransferUpdate?, Bool) in
                    if let update = state.take() { return (update, true) }
                    if state.isFinished || Task.isCancelled || state.waiting != nil { return (nil, true) }
                    state.waiting = continuation
                    return (nil, false)
                }
                if isReady { continuation.resume(returning: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<TransferUpdate?, Never>? in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume(returning: nil)
        }
    }
}
