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
        /// How often settings of queues were changed, or a process died.
        var changes = 0
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

    /// How many changes this process knows of, for ``expect(in:since:)``.
    var changes: Int { state.withLock { $0.changes } }

    /// Notes whether any of these queues cancels transfers that wait, unless there was a change since they were read.
    func expect(in queues: [TransferQueue], since changes: Int) {
        let isExpected = queues.contains { $0.overflow == .cancelOldestAlsoWaiting }
        state.withLock { state in
            if state.changes == changes { state.isExpected = isExpected }
        }
    }

    /// Notes that settings of queues were changed, or that a process died.
    func expectChange() {
        state.withLock { state in
            state.changes += 1
            state.isExpected = nil
        }
    }

    /// Removes them where a queue cancels transfers that wait, and once in any case: a process may have died before it did.
    /// Comes before a claim: the same download may have been added again, and would find the old file under the name of its
    /// own.
    ///
    /// A client that stands alone hears of no changes of the store. What it misses, the next engine removes.
    func removeExpected() async throws(StoreError) {
        let (isExpected, changes) = state.withLock { ($0.isExpected, $0.changes) }
        if isExpected != false {
            while try await removePage() {}
        }
        if isExpected == nil { expect(in: try await seams.store.changedQueues(), since: changes) }
    }

    /// Removes those of one page; returns whether there may be more.
    private func removePage() async throws(StoreError) -> Bool {
        let unremovable = state.withLock { $0.unremovable }
        let page = try await seams.store.displacedResidues(limit: ClientSeams.pageLength)
        let ids = page.filter { !unremovable.contains($0) }
        guard !ids.isEmpty else { return false }
        var removed: [TransferID] = []
        for case let transfer? in try await seams.store.transfers(ids) {
            do throws(StorageProblem) {
                try await seams.removeResidue(of: transfer)
                removed.append(transfer.id)
            } catch {
                logger.warning(
                    "A part file could not be removed.",
                    metadata: ["transfer": "\(transfer.id)", "error": "\(error.problem.failure.message)"]
                )
            }
        }
        state.withLock { $0.unremovable.formUnion(Set(ids).subtracting(removed)) }
        if !removed.isEmpty { try await seams.store.noteResidueRemoved(of: removed) }
        return page.count == ClientSeams.pageLength
    }
}
