import FerryCore
internal import Synchronization

/// The invariants of queues, over all processes.
extension InvariantChecker {
    /// Records the new state of a queue.
    func changed(_ queue: TransferQueue) {
        if queue.overflow != .wait { state.withLock { $0.mayGiveWay = true } }
        if queue.order == .strict, queue.onFailure == .fail { state.withLock { $0.mayFailBehind = true } }
    }

    /// Records that someone wants this transfer cancelled.
    func unwanted(_ id: TransferID) { state.withLock { _ = $0.unwanted.insert(id) } }

    /// Checks transfers just claimed, in this order: each had room in its queue and at its host.
    ///
    /// Only what starts counts against a bound. A running transfer keeps running when the bound is lowered,
    /// or when it is moved to a full queue.
    func checkRoom(for claimed: [Transfer]) {
        guard !claimed.isEmpty else { return }
        let (lined, queues) = look { image in (Array(image.rows.values), image.queues) }
        let rows = lined.map(\.transfer)
        let ids = Set(claimed.map(\.id))
        var running = rows.filter { $0.state == .active && !ids.contains($0.id) }
        for transfer in claimed {
            let queue = queues[transfer.queue] ?? TransferQueue(transfer.queue)
            let host = transfer.work.host
            let (beside, toHost) = (
                running.count { $0.queue == queue.name },
                running.count { $0.work.host == host }
            )
            if queue.order == .strict, standing(before: transfer.id, in: queue, lined) >= queue.slots {
                trace.complain("queues: \(transfer.id) begins out of order in \(queue.name), which is strict")
            }
            if queue.isPaused {
                trace.complain("queues: \(transfer.id) begins although \(queue.name) is paused")
            }
            if queue.slots > 0, beside >= queue.slots {
                trace.complain("queues: \(transfer.id) begins beside \(beside) in \(queue.name)")
            }
            if queue.perHost > 0, toHost >= queue.perHost {
                trace.complain("queues: \(transfer.id) begins beside \(toHost) to \(host)")
            }
            running.append(transfer)
        }
    }

    /// Transfers were asked for in these queues: one that also cancels what waits has no more unfinished transfers than slots.
    ///
    /// - Parameter former: the queues as they were before. One that was changed meanwhile is not checked.
    func checkBound(of names: Set<String>, formerly former: [String: TransferQueue]) {
        let (rows, queues) = look { image in (image.rows.values.map(\.transfer), image.queues) }
        for name in names.sorted() {
            guard let queue = queues[name], queue == former[name], queue.overflow == .cancelOldestAlsoWaiting
            else { continue }
            let count = rows.count { $0.queue == name && !$0.state.isFinal && $0.wish?.isCancel != true }
            guard count > queue.slots else { continue }
            trace.complain("queues: \(count) are not over in \(name), which has \(queue.slots) slots")
        }
    }

    /// The number of transfers before one in its strict queue. Counted without the engine's code, whose bug
    /// would otherwise be repeated here.
    private func standing(before id: TransferID, in queue: TransferQueue, _ rows: [StoreImage.Row]) -> Int {
        let hour: Int64 = 3_600_000
        let line = rows.filter { row in
            guard row.transfer.queue == queue.name else { return false }
            switch row.transfer.state {
            case .queued, .active, .waiting, .paused: return true
            case .failed: return queue.onFailure == .hold
            case .completed, .cancelled: return false
            }
        }
        let places = line.map { row in
            (id: row.transfer.id, place: row.since - Int64(row.transfer.priority) * hour)
        }
        guard let own = places.first(where: { $0.id == id })?.place else { return 0 }
        return places.count { $0.place < own || ($0.place == own && $0.id < id) }
    }

    /// Checks that nothing is cancelled unless someone wanted that, or a newer one displaced it.
    func checkEnds(of rows: [TransferID: Transfer]) {
        let state = state.withLock { state in
            defer { state.formerStates = rows.mapValues(\.state) }
            return state
        }
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) where state.formerStates[id] != row.state {
            results.changed([id])
            calls.checkEnd(of: row)
            uploads.checkEnd(of: row)
            switch row.state {
            case .cancelled where row.displacement != nil:
                trace.count(.gaveWay, id.rawValue)
                if !state.mayGiveWay { trace.complain("queues: \(id) gave way, and no queue asks for that") }
            case .cancelled where !state.unwanted.contains(id):
                trace.complain("queues: \(id) was cancelled by no one")
            case .failed(let failure) where failure.code == .deadlinePassed: deadlines.checkFailure(of: row)
            case .failed(let failure) where failure.code == .dependencyFailed:
                trace.count(.failedAlong, id.rawValue)
                let broken = state.order[id]?.contains { hasBroken($0, rows[$0], state) } ?? false
                if !broken { trace.complain("order: \(id) failed along with nothing") }
            case .failed(let failure) where failure.code == .headFailed && !state.mayFailBehind:
                trace.complain("queues: \(id) failed behind another one, and no queue asks for that")
            default: break
            }
        }
    }

    /// Checks a process that has reported, while its application is in the background, that nothing runs any more that must
    /// not.
    func checkQuiet(_ process: SimulatedProcess) {
        guard process.isRunning, !process.mayFail else { return }
        let holders = state.withLock { $0.holders }
        for row in rows where row.state == .active && holders[row.id]?.process === process {
            guard process.mayNotRun(row) else { continue }
            trace.complain("application: \(row.id) runs in process \(process.number) in the background")
        }
    }
}

/// The invariants of transfers that come after others. The checker knows the requested order, independent of
/// the rows.
extension InvariantChecker {
    /// The latest existing transfers of some errands.
    func latest(of errands: [Int]) -> [TransferID] {
        let known = state.withLock { $0.errands }
        let rows = look { Set($0.rows.keys) }
        return Set(errands).sorted().compactMap { errand in
            known.filter { $0.value == errand && rows.contains($0.key) }.keys.max()
        }
    }

    /// The first call among some transfers.
    func firstCall(of ids: [TransferID]) -> Transfer? {
        look { image in ids.lazy.compactMap { image.rows[$0]?.transfer }.first { $0.request != nil } }
    }

    /// The errands without a transfer.
    func missingErrands() -> [SimulationScenario.Errand] {
        let rows = rows
        let identities = Set(rows.compactMap(\.work.identity))
        let errands = state.withLock { $0.errands }
        let places = Set(rows.compactMap { errands[$0.id] })
        return scenario.errands.enumerated().filter { place, errand in
            guard let identity = errand.identity else { return !places.contains(place) }
            return !identities.contains(identity)
        }.map(\.element)
    }

    /// Checks that nothing starts, or could start, before everything it comes after is completed. Nothing
    /// waits for what will not complete, or for nothing.
    func checkOrder(of rows: [TransferID: Transfer]) {
        let state = state.withLock { $0 }
        for (id, row) in rows.sorted(by: { $0.key < $1.key }) {
            let awaited = (state.order[id] ?? []).subtracting(state.completed)
            switch row.state {
            case .waiting(.dependency):
                if awaited.isEmpty { trace.complain("order: \(id) waits for nothing") }
                for other in awaited.sorted() where hasBroken(other, rows[other], state) {
                    trace.complain("order: \(id) waits for \(other), which will not complete")
                }
            case .queued, .active, .waiting:
                if let other = awaited.min() {
                    trace.complain("order: \(id) is \(row.state.name) before \(other) is completed")
                }
            case .paused, .completed, .failed, .cancelled: break
            }
        }
    }

    /// Whether a transfer that others come after will no longer complete by itself.
    func hasBroken(_ id: TransferID, _ row: Transfer?, _ state: State) -> Bool {
        guard !state.completed.contains(id) else { return false }
        switch row?.state {
        case .failed, .cancelled, nil: return true
        case .queued, .active, .waiting, .paused, .completed: return false
        }
    }

    /// Whether a transfer comes after one that will not complete, so that no one can queue it.
    func comesAfterWhatBroke(_ id: TransferID) -> Bool {
        let state = state.withLock { $0 }
        let rows = look { $0.rows.mapValues(\.transfer) }
        return state.order[id]?.contains { hasBroken($0, rows[$0], state) } ?? false
    }
}
