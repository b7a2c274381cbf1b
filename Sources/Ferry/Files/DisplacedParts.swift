import FerryCore
import Logging
import Synchronization

/// Removes the part files of transfers that gave way to others while no process ran them.
///
/// The row says that there is one until it is removed. So whichever process comes next removes it, should the one die that let
/// them give way.
final class DisplacedParts: Sendable {
    private struct State {
        /// Whether a queue cancels transfers that wait; `nil` before this process has looked.
        var isExpected: Bool?
        /// Transfers whose part file could not be removed. This process tries once (I9: one page at most).
        var unremovable: Set<TransferID> = []
    }

    private let seams: ClientSeams
    private let logger: Logger
    private let state = Mutex(State())

    init(seams: ClientSeams, logger: Logger) {
        self.seams = seams
        self.logger = logger
    }

    /// Notes whether any of these queues cancels transfers that wait.
    func expect(in queues: [TransferQueue]) {
        let isExpected = queues.contains { $0.overflow == .cancelOldestAlsoWaiting }
        state.withLock { $0.isExpected = isExpected }
    }

    /// Notes that the settings of queues were changed.
    func expectChange() {
        state.withLock { $0.isExpected = nil }
    }

    /// Removes them where a queue cancels transfers that wait, and once in any case: a process may have died before it did.
    /// Comes before a claim: the same download may have been added again, and would find the old file under the name of its
    /// own.
    ///
    /// A client that stands alone hears of no changes of the store. What it misses, the next engine removes.
    func removeExpected() async throws(StoreError) {
        let isExpected = state.withLock { $0.isExpected }
        if isExpected != false { try await remove() }
        if isExpected == nil { expect(in: try await seams.store.changedQueues()) }
    }

    private func remove() async throws(StoreError) {
        let unremovable = state.withLock { $0.unremovable }
        let ids = try await seams.store.displacedResidues(limit: ClientSeams.pageLength)
            .filter { !unremovable.contains($0) }
        guard !ids.isEmpty else { return }
        var removed: [TransferID] = []
        for case let transfer? in try await seams.store.transfers(ids) {
            do throws(StorageProblem) {
                try await seams.removeResidue(of: transfer)
                removed.append(transfer.id)
            } catch {
                state.withLock { _ = $0.unremovable.insert(transfer.id) }
                logger.warning(
                    "A part file could not be removed.",
                    metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
                )
            }
        }
        if !removed.isEmpty { try await seams.store.noteResidueRemoved(of: removed) }
    }
}
