import FerryCore
import Synchronization

/// Delivers every change of a transfer to its observers.
///
/// A new observer gets the updates of running transfers at once. The rows of all others are not held here: they are
/// read first, some at a time (``beginReading(upTo:_:isLast:)``).
final class UpdateHub: Sendable {
    private struct State {
        var observers: [Observer] = []
        /// The number of observers at which those that are gone are removed.
        var mostObservers = 16
        var known = KnownTransfers()
        var meters: [TransferID: ProgressMeter] = [:]
        /// Transfers whose rows are being read, without those that had a newer update meanwhile.
        var reading: Set<TransferID> = []
        /// Transfers whose rows remain to be read in this round over all of them.
        var round: ArraySlice<TransferID> = []
        /// Number of calls that are about to follow transfers, and the transfers that ended since the first of these
        /// calls began.
        var arriving = 0
        var endedMeanwhile: [TransferID: Transfer] = [:]
        var hasRoom: @Sendable () -> Void = {}
        var isFinished = false

        /// Transfers that are followed and not over, or observed by ID.
        var watched: TransferIDSet {
            observers.reduce(into: known.unfinished) { $0.formUnion($1.ids ?? []) }
        }

        func isNews(_ transfer: Transfer) -> Bool {
            known.isNews(KnownTransfers.fingerprint(of: transfer), of: transfer.id)
        }

        func update(for transfer: Transfer, notes: [TransferNote] = []) -> TransferUpdate {
            let progress = meters[transfer.id]?.progress ?? transfer.recordedProgress
            return TransferUpdate(transfer: transfer, progress: progress, notes: notes)
        }
    }

    /// Which rows are read.
    enum Reading: Hashable, Sendable {
        /// Rows that new observers have asked for.
        case asked
        /// Some other rows too, so that each has its turn.
        case some
        /// All watched rows, from the first on.
        case all
    }

    /// The callers of each download.
    let callers = Callers()
    private let state = Mutex(State())

    /// Calls `body` when a slow observer has room for more.
    func whenThereIsRoom(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.hasRoom = body }
    }

    /// Opens a stream of updates, for given transfers or for all that are followed or run here.
    ///
    /// - Parameter known: rows that the observer already has; only later changes of these are delivered.
    func observe(_ ids: Set<TransferID>?, knowing known: [Transfer] = []) -> UpdateBuffer {
        let (buffer, isFinished) = state.withLock { state -> (UpdateBuffer, Bool) in
            let buffer = UpdateBuffer(hasRoom: state.hasRoom)
            var observer = Observer(ids, buffer)
            let wanted = ids.map { $0.sorted() } ?? state.known.followed.sorted()
            Self.show(wanted, knowing: known, to: &observer, buffer, in: state)
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

    /// Delivers the updates of further transfers to an observer of given ones.
    ///
    /// - Parameter known: the rows of these transfers, which the observer already has.
    func join(_ buffer: UpdateBuffer, knowing known: [Transfer]) {
        state.withLock { state in
            guard let index = state.observers.firstIndex(where: { $0.buffer === buffer }) else { return }
            // It is taken out, so that the change copies nothing of it.
            var observer = state.observers.remove(at: index)
            let ids = known.map(\.id)
            observer.join(ids)
            Self.show(ids.sorted(), knowing: known, to: &observer, buffer, in: state)
            state.observers.append(observer)
        }
    }

    /// Delivers the present state of transfers, or asks for the rows that are not held here.
    private static func show(
        _ ids: [TransferID],
        knowing known: [Transfer],
        to observer: inout Observer,
        _ buffer: UpdateBuffer,
        in state: State
    ) {
        let upToDate = Set(known.filter { !state.isNews($0) }.map(\.id))
        var unknown: [TransferID] = []
        for id in ids where !upToDate.contains(id) {
            if let transfer = state.known.running[id] {
                buffer.put(state.update(for: transfer))
            } else {
                unknown.append(id)
            }
        }
        observer.ask(unknown)
    }

    // MARK: Following

    /// Notes that a call is about to ask the store for transfers to follow. ``follow(_:)`` ends this, even with none.
    func expectFollowing() {
        state.withLock { $0.arriving += 1 }
    }

    /// Follows transfers, given as the store returned them.
    func follow(_ transfers: [Transfer]) {
        state.withLock { state in
            var fresh: [TransferID] = []
            for transfer in transfers {
                state.known.follow(transfer.id)
                // It may have ended, and been published, after the store answered.
                if let end = state.endedMeanwhile[transfer.id] {
                    state.known.note(end, KnownTransfers.fingerprint(of: end), isWatched: false)
                    continue
                }
                fresh.append(transfer.id)
                // The published update of a running transfer is newer.
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

    /// Whether any transfer was ever followed.
    var hasFollowed: Bool { state.withLock { $0.known.hasFollowed } }

    /// Whether the engine follows a transfer.
    func follows(_ id: TransferID) -> Bool { state.withLock { $0.known.followed.contains(id) } }

    /// The followed transfers that may still change without a person's action.
    var unsettled: TransferIDSet { state.withLock { $0.known.unsettled } }

    /// The earliest moment after `moment` at which a followed transfer that `owner` may claim stops waiting by itself.
    func earliestWake(for owner: OwnerID, after moment: Instant) -> Instant? {
        state.withLock { $0.known.waits.earliestWake(for: owner, after: moment) }
    }

    /// The followed transfers known to wait for a condition, in the order of their IDs.
    func waiting(for condition: WaitCondition) -> [TransferID] {
        state.withLock { $0.known.waits.waiting(for: condition) }
    }

    /// The combined progress of all followed transfers. Its total is known only if every total is.
    var totalProgress: TransferProgress {
        state.withLock { $0.known.totalProgress($0.meters) }
    }

    // MARK: Reading

    /// Every transfer that is followed or observed by ID and may still change.
    var watched: TransferIDSet {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            return state.watched
        }
    }

    /// Whether more than `count` transfers are watched.
    func watchesMore(than count: Int) -> Bool {
        // This runs at every change of the store, so it must not walk a long list.
        let isLong = state.withLock { state in
            state.known.unfinishedCount > count
                || state.observers.contains { $0.buffer != nil && $0.ids?.count ?? 0 > count }
        }
        return isLong || watched.count > count
    }

    /// The transfers whose rows to read now and pass to ``take(read:)``, in order. Transfers that run here are left
    /// out, because their attempts publish their updates.
    ///
    /// - Parameter isLast: whether this is the last chance: then observers with untaken updates are served too.
    func beginReading(upTo limit: Int, _ reading: Reading, isLast: Bool = false) -> [TransferID] {
        state.withLock { state in
            state.observers.removeAll { $0.buffer == nil }
            var ids: [TransferID] = []
            for index in state.observers.indices where ids.count < limit {
                ids += state.observers[index].takeAsked(upTo: limit - ids.count, isLast: isLast)
            }
            if reading != .asked {
                let watched = state.watched
                if reading == .all || state.round.isEmpty { state.round = watched.sorted()[...] }
                let page = state.round.prefix(limit - ids.count)
                state.round = page.count < state.round.count ? state.round.dropFirst(page.count) : []
                // Some may have ended since the round began.
                ids += page.filter { watched.contains($0) }
            }
            state.reading = Set(ids.filter { state.meters[$0] == nil })
            return state.reading.sorted()
        }
    }

    /// Whether an observer has asked for more rows and has room for them.
    var isAnybodyAsking: Bool {
        state.withLock { state in state.observers.contains(where: \.canBeTold) }
    }

    /// Publishes a row that was read, unless a newer update of the transfer was published meanwhile.
    func take(read transfer: Transfer) {
        let isUpToDate = state.withLock { state in
            guard state.reading.remove(transfer.id) != nil else { return false }
            // The row of a transfer that is not followed goes only to observers that named it.
            let isForAll = state.known.followed.contains(transfer.id)
            Self.tell(transfer, notes: [], in: &state) { isForAll || $0.ids != nil }
            return true
        }
        if isUpToDate, transfer.state.isFinal { callers.forget(transfer.id) }
    }

    // MARK: Telling

    /// Attaches the meter of an attempt that begins. From now on the attempt publishes its transfer.
    func attach(_ meter: ProgressMeter, to id: TransferID) {
        state.withLock { state in
            state.meters[id] = meter
            state.reading.remove(id)
        }
    }

    /// Detaches the meter of an attempt that is over, unless another attempt has begun.
    func detach(_ meter: ProgressMeter, from id: TransferID) {
        state.withLock { Self.detach(meter, from: id, in: &$0) }
    }

    private static func detach(_ meter: ProgressMeter, from id: TransferID, in state: inout State) {
        guard state.meters[id] === meter else { return }
        state.meters[id] = nil
        state.known.endRun(of: id)
    }

    /// Detaches the meter and publishes the final row atomically.
    func publish(endOf meter: ProgressMeter, _ transfer: Transfer) {
        if transfer.state.isFinal { callers.forget(transfer.id) }
        state.withLock { state in
            Self.detach(meter, from: transfer.id, in: &state)
            state.reading.remove(transfer.id)
            Self.tell(transfer, notes: [], in: &state)
        }
    }

    /// Publishes the progress of an attempt, unless it has ended: then nothing may come after the row that it left.
    func publish(progressOf meter: ProgressMeter, _ transfer: Transfer) {
        state.withLock { state in
            guard state.meters[transfer.id] === meter else { return }
            Self.tell(transfer, notes: [], in: &state)
        }
    }

    /// Publishes a transfer to its observers; does nothing if neither row nor progress changed and there are no notes.
    func publish(_ transfer: Transfer, notes: [TransferNote] = []) {
        if transfer.state.isFinal { callers.forget(transfer.id) }
        state.withLock { state in
            state.reading.remove(transfer.id)
            Self.tell(transfer, notes: notes, in: &state)
        }
    }

    /// Delivers under the lock: otherwise the older of two concurrent updates could arrive last.
    private static func tell(
        _ transfer: Transfer,
        notes: [TransferNote],
        in state: inout State,
        to isMeant: (Observer) -> Bool = { _ in true }
    ) {
        let id = transfer.id
        let fingerprint = KnownTransfers.fingerprint(of: transfer)
        let isNews =
            !notes.isEmpty || state.meters[id] != nil || state.known.isNews(fingerprint, of: id)
        let isOver = transfer.state.name.isOver
        let update = state.update(for: transfer, notes: notes)
        var isObserved = false
        for index in state.observers.indices
        where state.observers[index].isAbout(id) && isMeant(state.observers[index]) {
            if state.observers[index].ids != nil { isObserved = true }
            state.observers[index].tell(update, isNews: isNews)
            if isOver { state.observers[index].leave(id) }
        }
        state.known.note(transfer, fingerprint, isWatched: isObserved)
        if state.arriving > 0 { state.endedMeanwhile[id] = transfer.state.isFinal ? transfer : nil }
    }

    /// Drops a transfer that is no longer in the store, and ends the updates of observers of only that transfer.
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

    /// The live progress of a transfer that runs here.
    func liveProgress(of id: TransferID) -> TransferProgress? {
        state.withLock { $0.meters[id] }?.progress
    }

    /// Ends all updates.
    func finish() {
        let buffers = state.withLock { state -> [UpdateBuffer] in
            state.isFinished = true
            return state.observers.compactMap(\.buffer)
        }
        for buffer in buffers { buffer.finish() }
    }

    /// Opens the hub when the engine begins to run, perhaps again.
    func reopen() {
        state.withLock { $0.isFinished = false }
    }

    /// The amount of data that the hub holds.
    struct Load: Hashable, Sendable {
        /// Number of transfers about which anything is held.
        var transfers = 0
        /// Number of transfers whose whole row is held.
        var rows = 0
        /// Number of observers.
        var observers = 0
    }

    /// The amount of data that the hub holds at this moment.
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
