import FerryCore

/// Publishes the effects of the order between transfers. The store keeps that order.
extension Scheduler {
    /// Publishes the end of an attempt, and the dependents that failed with it: these have no attempt that would
    /// publish them.
    func tellEnd(of runner: any AttemptRunner, _ ended: Transfer) async throws(StoreError) {
        hub.publish(endOf: runner.meter, ended)
        guard ended.failureOfDependents != nil else { return }
        var ends = [ended.id]
        while let end = ends.popLast() {
            for id in try await seams.store.dependents(of: end) {
                // A damaged row is skipped.
                guard let dependent = try await seams.store.transfers([id])[0],
                    case .failed = dependent.state, dependent.finished == ended.finished
                else { continue }
                hub.publish(dependent)
                ends.append(id)
            }
        }
    }
}
