import FerryCore

/// The order between transfers is kept by the store; here it is told.
extension Scheduler {
    /// Tells what an attempt came to, and of those that have failed because its transfer did not complete: no attempt of
    /// theirs ends that would tell.
    func tellEnd(of runner: any AttemptRunner, _ ended: Transfer) async throws(StoreError) {
        hub.publish(endOf: runner.meter, ended)
        guard ended.failureOfDependents != nil else { return }
        var ends = [ended.id]
        while let end = ends.popLast() {
            for id in try await seams.store.dependents(of: end) {
                // One that is damaged is passed over.
                guard let dependent = try await seams.store.transfers([id])[0],
                    case .failed = dependent.state, dependent.finished == ended.finished
                else { continue }
                hub.publish(dependent)
                ends.append(id)
            }
        }
    }
}
