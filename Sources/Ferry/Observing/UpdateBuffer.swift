import FerryCore
import Synchronization

/// The updates that one observer has not taken yet: the latest of each transfer, with every note, in the order
/// in which the transfers first changed. Its size is bounded by the number of transfers that changed since it was emptied, not
/// by how often they did.
final class UpdateBuffer: Sendable {
    private struct State {
        var order: [TransferID] = []
        /// How many of `order` have been taken; they are dropped together, since each removal would move all the rest.
        var taken = 0
        var pending: [TransferID: TransferUpdate] = [:]
        /// Whether somebody has more to tell, and was told to wait.
        var isAwaited = false
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

    /// With how many updates that wait it has no room for what is only told because somebody has begun to observe.
    static let crowd = 500

    private let state = Mutex(State())
    private let roomIsMade: @Sendable () -> Void

    /// - Parameter hasRoom: is called when there is room again after ``hasRoom()`` said no.
    init(hasRoom: @escaping @Sendable () -> Void = {}) {
        roomIsMade = hasRoom
    }

    /// Whether there is room for what is no news.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.isAwaited = state.pending.count >= Self.crowd
            return !state.isAwaited
        }
    }

    /// Puts an update in, in place of an earlier one of the same transfer.
    func put(_ update: TransferUpdate) {
        let resumption = state.withLock {
            state -> (CheckedContinuation<TransferUpdate?, Never>, TransferUpdate)? in
            guard !state.isFinished else { return nil }
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
                let (result, isReady, makesRoom) = state.withLock { state -> (TransferUpdate?, Bool, Bool) in
                    if let update = state.take() {
                        let makesRoom = state.isAwaited && state.pending.count <= Self.crowd / 2
                        if makesRoom { state.isAwaited = false }
                        return (update, true, makesRoom)
                    }
                    if state.isFinished || Task.isCancelled || state.waiting != nil {
                        return (nil, true, false)
                    }
                    state.waiting = continuation
                    return (nil, false, false)
                }
                if isReady { continuation.resume(returning: result) }
                if makesRoom { roomIsMade() }
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
