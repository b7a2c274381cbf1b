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
        /// The number of the update that brought it.
        var numbers: [TransferID: Int] = [:]
        var lastNumber = 0
        var followed: Set<TransferID> = []
        var hasFollowed = false
        /// Those followed ones that something may still happen to without a person's doing.
        var unsettled: Set<TransferID> = []
        /// Those of them that wait, so that the earliest end of a wait is found without looking at all.
        var waiting: Set<TransferID> = []
        var meters: [TransferID: ProgressMeter] = [:]
        var isFinished = false
    }

    /// Who has asked for what.
    let callers = Callers()
    private let state = Mutex(State())

    /// Opens a line of updates, for given transfers or for all that are followed or run here.
    func observe(_ ids: Set<TransferID>?) -> TransferUpdates {
        let buffer = UpdateBuffer()
        let (known, isFinished) = state.withLock { state -> ([(Transfer, Int)], Bool) in
            state.observers.append(Observer(ids: ids, buffer: buffer))
            let known = (ids ?? state.followed).sorted().compactMap { id in
                state.latest[id].map { ($0, state.numbers[id] ?? 0) }
            }
            return (known, state.isFinished)
        }
        for (transfer, number) in known { buffer.put(update(for: transfer), number: number) }
        if isFinished { buffer.finish() }
        return TransferUpdates(buffer: buffer)
    }

    /// Adds transfers to those that the engine follows.
    func follow(_ ids: [TransferID]) {
        state.withLock { state in
            state.followed.formUnion(ids)
            state.hasFollowed = true
            state.unsettled.formUnion(ids)
        }
    }

    /// Whether there ever was a transfer to follow; those that were removed from the store are no longer among
    /// ``followed``.
    var hasFollowed: Bool { state.withLock { $0.hasFollowed } }

    /// The followed transfers that something may still happen to without a person's doing.
    var unsettled: Set<TransferID> { state.withLock { $0.unsettled } }

    /// Whether something may still happen to a followed transfer, as far as is known.
    func isUnsettled(_ id: TransferID) -> Bool { state.withLock { $0.unsettled.contains(id) } }

    /// The earliest moment later than `moment` at which a followed transfer that `owner` may claim stops waiting by itself.
    func earliestWake(for owner: OwnerID, after moment: Instant) -> Instant? {
        state.withLock { state in
            state.waiting.compactMap { id in
                guard let transfer = state.latest[id],
                    transfer.claim == nil || transfer.claim?.owner == owner,
                    case .waiting(let condition) = transfer.state
                else { return nil }
                return condition.wakeTime.flatMap { $0 > moment ? $0 : nil }
            }.min()
        }
    }

    /// The followed transfers that wait for a condition, as far as is known, in the order of their numbers.
    func waiting(for condition: WaitCondition) -> [Transfer] {
        state.withLock { state in
            state.waiting.sorted().compactMap { state.latest[$0] }.filter { $0.state == .waiting(condition) }
        }
    }

    /// The transfers that the engine follows.
    var followed: Set<TransferID> { state.withLock { $0.followed } }

    /// Every transfer that somebody wants to know about.
    var watched: Set<TransferID> {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            return state.observers.reduce(into: state.followed) { $0.formUnion($1.ids ?? []) }
        }
    }

    /// Whether somebody wants to know about more than `count` transfers.
    func watchesMore(than count: Int) -> Bool {
        // Whenever the store changes this is asked, so a long list is not gone through for it.
        let isLong = state.withLock { state in
            state.followed.count > count
                || state.observers.contains { $0.buffer != nil && $0.ids?.count ?? 0 > count }
        }
        return isLong || watched.count > count
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
        if transfer.state.isFinal { callers.forget(transfer.id) }
        let (buffers, number) = state.withLock { state -> ([UpdateBuffer], Int) in
            let isWatched = state.followed.contains(transfer.id)
            if isWatched, transfer.state.waitsForAPersonOnly {
                state.unsettled.remove(transfer.id)
            } else if isWatched {
                state.unsettled.insert(transfer.id)
            }
            if isWatched, case .waiting = transfer.state {
                state.waiting.insert(transfer.id)
            } else {
                state.waiting.remove(transfer.id)
            }
            let isNew =
                state.latest[transfer.id] != transfer || !notes.isEmpty || state.meters[transfer.id] != nil
            let interested = state.observers.filter { $0.ids?.contains(transfer.id) ?? true }
            guard isWatched || !interested.isEmpty else {
                // Nobody would keep it up to date.
                state.latest[transfer.id] = nil
                return ([], 0)
            }
            state.lastNumber += 1
            // What is over and was not asked for by number is not kept: a queue may have a million of them.
            let isKept = isWatched || !transfer.state.isFinal
            state.latest[transfer.id] = isKept ? transfer : nil
            state.numbers[transfer.id] = isKept ? state.lastNumber : nil
            return (isNew ? interested.compactMap(\.buffer) : [], state.lastNumber)
        }
        let update = update(for: transfer, notes: notes)
        for buffer in buffers { buffer.put(update, number: number) }
    }

    /// A transfer is no longer in the store: nobody follows it any more, and who observed only it gets no more.
    func forget(_ id: TransferID) {
        callers.forget(id)
        let buffers = state.withLock { state -> [UpdateBuffer] in
            state.latest[id] = nil
            state.numbers[id] = nil
            state.followed.remove(id)
            state.unsettled.remove(id)
            state.waiting.remove(id)
            let bereft = state.observers.filter { $0.ids == [id] }.compactMap(\.buffer)
            state.observers.removeAll { $0.ids == [id] }
            return bereft
        }
        for buffer in buffers { buffer.finish() }
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
            received: parts.reduce(Int64(0)) { $0.addingSaturated($1.received) },
            total: parts.reduce(Optional(0)) { sum, part in
                sum.flatMap { sum in part.total.map { sum.addingSaturated($0) } }
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
