import FerryCore

/// The engine behind a client: it learns of the client's changes at once, and has live progress that the store does not
/// have.
struct EngineLink: Sendable {
    let hub: UpdateHub
    let scheduler: Scheduler

    /// A transfer was steered.
    func changed(_ transfer: Transfer) {
        hub.publish(transfer)
        scheduler.signal(.storeChanged)
    }

    /// Something was added.
    func added() {
        scheduler.signal(.storeChanged)
    }

    /// The terms of a queue were changed.
    func queuesChanged() {
        scheduler.queueRates.expectChange()
        scheduler.signal(.storeChanged)
    }

    /// The updates of these transfers, or of all that the engine follows or runs.
    func updates(of ids: Set<TransferID>?) -> TransferUpdates {
        let buffer = hub.observe(ids)
        scheduler.signal(.observed)
        return TransferUpdates(source: .engine(buffer))
    }
}
