import FerryCore
import Synchronization

/// Brings every change of a transfer to those who observe it.
final class UpdateHub: Sendable {
    private struct Observer {
        let ids: Set<TransferID>?
        weak var buffer: UpdateBuffer?
    }

    private struct State {
        var observers: [Observer] = []
        /// The latest known row of every transfer that is followed or observed.
        var latest: [TransferID: Transfer] = [:]
        var followed: Set<TransferID> = []
        /// Those followed ones that something may still happen to without a person's doing.
        var unsettled: Set<TransferID> = []
        var meters: [TransferID: ProgressMeter] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Opens a line of updates, for given transfers or for all that are followed or run here.
    func observe(_ ids: Set<TransferID>?) -> TransferUpdates {
        let buffer = UpdateBuffer()
        let (known, isFinished) = state.withLock { state -> ([Transfer], Bool) in
            state.observers.append(Observer(ids: ids, buffer: buffer))
            let wanted = ids ?? state.followed
            return (wanted.sorted().compactMap { state.latest[$0] }, state.isFinished)
        }
        for transfer in known { buffer.put(update(for: transfer)) }
        if isFinished { buffer.finish() }
        return TransferUpdates(buffer: buffer)
    }

    /// Adds transfers to those that the engine follows.
    func follow(_ ids: [TransferID]) {
        state.withLock { state in
            state.followed.formUnion(ids)
            state.unsettled.formUnion(ids)
        }
    }

    /// Whether the engine follows anything.
    var isFollowing: Bool { state.withLock { !$0.followed.isEmpty } }

    /// The followed transfers that something may still happen to without a person's doing.
    var unsettled: Set<TransferID> { state.withLock { $0.unsettled } }

    /// Every transfer that somebody wants to know about.
    var watched: Set<TransferID> {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            return state.observers.reduce(into: state.followed) { $0.formUnion($1.ids ?? []) }
        }
    }

    /// The latest known row of a transfer.
    func latest(_ id: TransferID) -> Transfer? {
        state.withLock { $0.latest[id] }
    }

    /// A running attempt's meter, or `nil` when the attempt is over.
    func attach(_ meter: ProgressMeter?, to id: TransferID) {
        state.withLock { $0.meters[id] = meter }
    }

    /// Tells everybody who wants to know; says nothing when neither the row nor the progress changed and there
    /// are no notes.
    func publish(_ transfer: Transfer, notes: [String] = []) {
        let buffers = state.withLock { state -> [UpdateBuffer] in
            let isWatched = state.followed.contains(transfer.id)
            if isWatched, transfer.state.waitsForAPersonOnly {
                state.unsettled.remove(transfer.id)
            } else if isWatched {
                state.unsettled.insert(transfer.id)
            }
            let isNew =
                state.latest[transfer.id] != transfer || !notes.isEmpty || state.meters[transfer.id] != nil
            let interested = state.observers.filter { $0.ids?.contains(transfer.id) ?? true }
            guard isWatched || !interested.isEmpty else { return [] }
            // What is over and was not asked for by number is not kept: a queue may have a million of them.
            state.latest[transfer.id] = isWatched || !transfer.state.isFinal ? transfer : nil
            return isNew ? interested.compactMap(\.buffer) : []
        }
        let update = update(for: transfer, notes: notes)
        for buffer in buffers { buffer.put(update) }
    }

    /// How far a transfer that runs here has come.
    func liveProgress(of id: TransferID) -> TransferProgress? {
        state.withLock { $0.meters[id] }?.progress
    }

    /// The progress of all that is followed, as one; its total is known only when every single one is.
    var totalProgress: TransferProgress {
        let parts = state.withLock { state in
            state.followed.compactMap { id in
                state.meters[id]?.progress ?? state.latest[id]?.recordedProgress
            }
        }
        let speeds = parts.compactMap(\.bytesPerSecond)
        return TransferProgress(
            received: parts.reduce(0) { $0 + $1.received },
            total: parts.reduce(Optional(0)) { sum, part in sum.flatMap { sum in part.total.map { sum + $0 } }
            },
            bytesPerSecond: speeds.isEmpty ? nil : speeds.reduce(0, +)
        )
    }

    /// There will be no more updates.
    func finish() {
        let buffers = state.withLock { state -> [UpdateBuffer] in
            state.isFinished = true
            return state.observers.compactMap(\.buffer)
        }
        for buffer in buffers { buffer.finish() }
    }

    /// The engine begins to run, perhaps again.
    func reopen() {
        state.withLock { $0.isFinished = false }
    }

    private func update(for transfer: Transfer, notes: [String] = []) -> TransferUpdate {
        let progress = liveProgress(of: transfer.id) ?? transfer.recordedProgress
        return TransferUpdate(transfer: transfer, progress: progress, notes: notes)
    }
}

extension TransferState {
    /// Whether nothing more happens until a person does something.
    var waitsForAPersonOnly: Bool {
        switch self {
        case .completed, .failed, .cancelled, .paused: true
        case .waiting(.newURL), .waiting(.diskSpace): true
        case .queued, .active, .waiting: false
        }
    }
}
