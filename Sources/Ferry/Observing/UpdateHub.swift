import FerryCore
import Synchronization

/// Brings every change of a transfer to those who observe it.
///
/// Who begins to observe is told of what runs at once; of the rest the rows are read first, some at a time
/// (``beginReading(upTo:_:isLast:)``), as they are not held here.
final class UpdateHub: Sendable {
    private struct State {
        var observers: [Observer] = []
        /// With how many observers it is looked for those that are gone.
        var mostObservers = 16
        var known = KnownTransfers()
        var meters: [TransferID: ProgressMeter] = [:]
        /// Those whose rows are being read, less those of which something newer was told meanwhile.
        var reading: Set<TransferID> = []
        /// Those whose rows are still to be read before all are looked at again.
        var round: ArraySlice<TransferID> = []
        /// How many are about to follow something, and what has ended since the first of them asked the store.
        var arriving = 0
        var endedMeanwhile: [TransferID: Transfer] = [:]
        var hasRoom: @Sendable () -> Void = {}
        var isFinished = false

        /// Those of which somebody wants to know what becomes of them.
        var watched: Set<TransferID> {
            observers.reduce(into: known.unfinished) { $0.formUnion($1.ids ?? []) }
        }

        func update(for transfer: Transfer, notes: [String] = []) -> TransferUpdate {
            let progress = meters[transfer.id]?.progress ?? transfer.recordedProgress
            return TransferUpdate(transfer: transfer, progress: progress, notes: notes)
        }
    }

    /// Which rows are read.
    enum Reading: Hashable, Sendable {
        /// Those that somebody has asked for who began to observe.
        case asked
        /// Some others as well, so that all have their turn.
        case some
        /// All that are watched, from the first on.
        case all
    }

    /// Who has asked for what.
    let callers = Callers()
    private let state = Mutex(State())

    /// Calls `body` when an observer that was slow has room for more.
    func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.hasRoom = body }
    }

    /// Opens a line of updates, for given transfers or for all that are followed or run here.
    ///
    /// - Parameter known: rows that the observer has already: of these it is told what is new.
    func observe(_ ids: Set<TransferID>?, knowing known: [Transfer] = []) -> UpdateBuffer {
        let (buffer, isFinished) = state.withLock { state -> (UpdateBuffer, Bool) in
            let buffer = UpdateBuffer(hasRoom: state.hasRoom)
            var observer = Observer(ids, buffer)
            let upToDate = Set(known.filter { !state.known.isNews($0) }.map(\.id))
            var unknown: [TransferID] = []
            for id in (ids ?? state.known.followed).sorted() where !upToDate.contains(id) {
                if let transfer = state.known.running[id] {
                    buffer.put(state.update(for: transfer))
                } else {
                    unknown.append(id)
                }
            }
            observer.ask(unknown)
            state.observers.append(observer)
            if state.observers.count > state.mostObservers {
                state.observers.removeAll { $0.buffer == nil }
                state.mostObservers = max(16, state.observers.count * 2)
            }
            return (buffer, state.isFinished)
        }
        if isFinished { buffer.finish() }
        return buffer
    }

    // MARK: Following

    /// Somebody is about to ask the store for transfers to follow; ``follow(_:)`` ends that, with or without some.
    func expectFollowing() {
        state.withLock { $0.arriving += 1 }
    }

    /// Adds transfers to those that the engine follows, as they were when the store was asked.
    func follow(_ transfers: [Transfer]) {
        state.withLock { state in
            var fresh: [TransferID] = []
            for transfer in transfers {
                state.known.follow(transfer.id)
                // The store may have answered before it ended, and that was told.
                if let end = state.endedMeanwhile[transfer.id] {
                    state.known.note(end, isWatched: false)
                    continue
                }
                fresh.append(transfer.id)
                // What was told of one that runs is newer.
                guard state.known.running[transfer.id] == nil else { continue }
                Self.tell(transfer, notes: [], in: &state) { $0.ids != nil }
            }
            for index in state.observers.indices where state.observers[index].ids == nil {
                state.observers[index].ask(fresh)
            }
            state.arriving = max(0, state.arriving - 1)
            if state.arriving == 0 { state.endedMeanwhile = [:] }
        }
    }

    /// Whether there ever was a transfer to follow.
    var hasFollowed: Bool { state.withLock { $0.known.hasFollowed } }

    /// Whether the engine follows a transfer.
    func follows(_ id: TransferID) -> Bool { state.withLock { $0.known.followed.contains(id) } }

    /// The followed transfers that something may still happen to without a person's doing.
    var unsettled: Set<TransferID> { state.withLock { $0.known.unsettled } }

    /// The earliest moment later than `moment` at which a followed transfer that `owner` may claim stops waiting by itself.
    func earliestWake(for owner: OwnerID, after moment: Instant) -> Instant? {
        state.withLock { $0.known.waits.earliestWake(for: owner, after: moment) }
    }

    /// The followed transfers that wait for a condition, as far as is known, in the order of their numbers.
    func waiting(for condition: WaitCondition) -> [TransferID] {
        state.withLock { $0.known.waits.waiting(for: condition) }
    }

    /// The progress of all that is followed, as one; its total is known only when every single one is.
    var totalProgress: TransferProgress {
        state.withLock { $0.known.totalProgress($0.meters) }
    }

    // MARK: Reading

    /// Every transfer that somebody wants to know about and that may still change.
    var watched: Set<TransferID> {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            return state.watched
        }
    }

    /// Whether somebody wants to know about more than `count` transfers.
    func watchesMore(than count: Int) -> Bool {
        // Whenever the store changes this is asked, so a long list is not gone through for it.
        let isLong = state.withLock { state in
            state.known.unfinishedCount > count
                || state.observers.contains { $0.buffer != nil && $0.ids?.count ?? 0 > count }
        }
        return isLong || watched.count > count
    }

    /// The transfers whose rows are to be read and handed to ``take(read:)`` now, in order; those that run here are left out,
    /// as their attempts tell of them.
    ///
    /// - Parameter isLast: whether it is now or never: then observers are told as well that have not taken what was told already.
    func beginReading(upTo limit: Int, _ reading: Reading, isLast: Bool = false) -> [TransferID] {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            var ids: [TransferID] = []
            for index in state.observers.indices where ids.count < limit {
                ids += state.observers[index].takeAsked(upTo: limit - ids.count, isLast: isLast)
            }
            if reading == .all || reading == .some && state.round.isEmpty {
                state.round = state.watched.sorted()[...]
            }
            if reading != .asked {
                let page = state.round.prefix(limit - ids.count)
                state.round = page.count < state.round.count ? state.round.dropFirst(page.count) : []
                // Some may have ended since the round began.
                ids += page.filter(state.watched.contains)
            }
            state.reading = Set(ids.filter { state.meters[$0] == nil })
            return state.reading.sorted()
        }
    }

    /// Whether there are more rows that somebody asked for and has room for.
    var isAnybodyAsking: Bool {
        state.withLock { state in state.observers.contains(where: \.canBeTold) }
    }

    /// Tells of a row that was read; of one that has changed since, something newer was told.
    func take(read transfer: Transfer) {
        let isUpToDate = state.withLock { state in
            guard state.reading.remove(transfer.id) != nil else { return false }
            // Of what the engine does not follow a row is read only for those who have asked for it by number.
            let isForAll = state.known.followed.contains(transfer.id)
            Self.tell(transfer, notes: [], in: &state) { isForAll || $0.ids != nil }
            return true
        }
        if isUpToDate, transfer.state.isFinal { callers.forget(transfer.id) }
    }

    // MARK: Telling

    /// An attempt begins, whose meter this is; it tells of its transfer from now on.
    func attach(_ meter: ProgressMeter, to id: TransferID) {
        state.withLock { state in
            state.meters[id] = meter
            state.reading.remove(id)
        }
    }

    /// An attempt is over, unless another one has begun.
    func detach(_ meter: ProgressMeter, from id: TransferID) {
        state.withLock { Self.detach(meter, from: id, in: &$0) }
    }

    private static func detach(_ meter: ProgressMeter, from id: TransferID, in state: inout State) {
        guard state.meters[id] === meter else { return }
        state.meters[id] = nil
        state.known.endRun(of: id)
    }

    /// Tells what an attempt came to. In between nobody is told neither by the attempt nor from the row.
    func publish(endOf meter: ProgressMeter, _ transfer: Transfer) {
        if transfer.state.isFinal { callers.forget(transfer.id) }
        state.withLock { state in
            Self.detach(meter, from: transfer.id, in: &state)
            state.reading.remove(transfer.id)
            Self.tell(transfer, notes: [], in: &state)
        }
    }

    /// Tells everybody who wants to know; says nothing when neither the row nor the progress changed and there
    /// are no notes.
    func publish(_ transfer: Transfer, notes: [String] = []) {
        if transfer.state.isFinal { callers.forget(transfer.id) }
        state.withLock { state in
            state.reading.remove(transfer.id)
            Self.tell(transfer, notes: notes, in: &state)
        }
    }

    /// It is put before the observers under the lock, as of two that overtook each other the older would be told last.
    private static func tell(
        _ transfer: Transfer,
        notes: [String],
        in state: inout State,
        to isMeant: (Observer) -> Bool = { _ in true }
    ) {
        let id = transfer.id
        let isNews = !notes.isEmpty || state.meters[id] != nil || state.known.isNews(transfer)
        let isOver = transfer.state == .completed || transfer.state == .cancelled
        let update = state.update(for: transfer, notes: notes)
        var isObserved = false
        for index in state.observers.indices
        where state.observers[index].isAbout(id) && isMeant(state.observers[index]) {
            if state.observers[index].ids != nil { isObserved = true }
            state.observers[index].tell(update, isNews: isNews)
            if isOver { state.observers[index].leave(id) }
        }
        state.known.note(transfer, isWatched: isObserved)
        if state.arriving > 0 { state.endedMeanwhile[id] = transfer.state.isFinal ? transfer : nil }
    }

    /// A transfer is no longer in the store: nobody follows it any more, and who observed only it gets no more.
    func forget(_ id: TransferID) {
        callers.forget(id)
        let bereft = state.withLock { state -> [UpdateBuffer] in
            state.reading.remove(id)
            state.known.drop(id)
            let bereft = state.observers.filter { $0.only == id }.compactMap(\.buffer)
            state.observers.removeAll { $0.only == id }
            for index in state.observers.indices { state.observers[index].leave(id) }
            return bereft
        }
        for buffer in bereft { buffer.finish() }
    }

    /// How far a transfer that runs here has come.
    func liveProgress(of id: TransferID) -> TransferProgress? {
        state.withLock { $0.meters[id] }?.progress
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

    /// How much is held here.
    struct Load: Hashable, Sendable {
        /// Of how many transfers anything.
        var transfers = 0
        /// Of how many the whole row.
        var rows = 0
        /// How many observe.
        var observers = 0
    }

    /// How much is held here at this moment.
    var load: Load {
        state.withLock { state in
            let others =
                state.meters.count + state.reading.count + state.round.count + state.endedMeanwhile.count
            return Load(
                transfers: max(state.known.count, others),
                rows: state.known.running.count,
                observers: state.observers.count { $0.buffer != nil }
            )
        }
    }
}
