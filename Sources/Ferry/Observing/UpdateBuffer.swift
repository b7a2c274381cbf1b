import FerryCore
import Synchronization

/// The updates that one observer has not taken yet: the latest of each transfer, with every note, in the order in which
/// the transfers first changed. Its size is bounded by the number of changed transfers, not by the number of changes.
final class UpdateBuffer: Sendable {
    private struct State {
        var order: [TransferID] = []
        /// Number of elements of `order` already taken. They are removed together, because each removal moves all the
        /// rest.
        var taken = 0
        var pending: [TransferID: TransferUpdate] = [:]
        /// Whether a sender with more updates was told to wait.
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

    /// With this many pending updates, the buffer has no room for the present state of further transfers.
    static let crowd = 500

    private let state = Mutex(State())
    private let roomIsMade: @Sendable () -> Void

    /// - Parameter hasRoom: called when there is room again after ``hasRoom()`` returned `false`.
    init(hasRoom: @escaping @Sendable () -> Void = {}) {
        roomIsMade = hasRoom
    }

    /// Whether there is room for updates that only report a present state.
    func hasRoom() -> Bool {
        state.withLock { state in
            state.isAwaited = state.pending.count >= Self.crowd
            return !state.isAwaited
        }
    }

    /// Adds an update, in place of an earlier one of the same transfer.
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
