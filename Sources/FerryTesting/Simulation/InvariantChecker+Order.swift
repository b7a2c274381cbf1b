import FerryCore
internal import Synchronization

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
