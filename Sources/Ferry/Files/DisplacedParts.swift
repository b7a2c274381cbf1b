import FerryCore
import Logging
import Synchronization

/// Removes the part files of transfers that gave way to others while no process ran them.
///
/// The row records the part file until it is removed. So if the process that displaced the transfer dies, the next
/// process removes the file.
final class DisplacedParts: Sendable {
    private struct State {
        /// Whether a queue cancels transfers that wait; `nil` before this process has looked.
        var isExpected: Bool?
        /// Counts changes to settings of queues, and deaths of processes.
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

    /// The number of changes that this process knows of, for ``expect(in:since:)``.
    var changes: Int { state.withLock { $0.changes } }

    /// Notes whether any of these queues cancels waiting transfers, unless `changes` has grown since they were read.
    func expect(in queues: [TransferQueue], since changes: Int) {
        let isExpected = queues.contains { $0.overflow == .cancelOldestAlsoWaiting }
        state.withLock { state in
            if state.changes == changes { state.isExpected = isExpected }
        }
    }

    /// Notes that settings of queues have changed, or that a process has died.
    func expectChange() {
        state.withLock { state in
            state.changes += 1
            state.isExpected = nil
        }
    }

    /// Removes these part files if a queue cancels waiting transfers, and always at the first call, because a process
    /// may have died earlier. Call it before a claim: if the same download was added again, it would find the old file
    /// under its name.
    ///
    /// A client without an engine does not learn of changes in the store. The next engine removes what it misses.
    func removeExpected() async throws(StoreError) {
        let (isExpected, changes) = state.withLock { ($0.isExpected, $0.changes) }
        if isExpected != false {
            while try await removePage() {}
        }
        if isExpected == nil { expect(in: try await seams.store.changedQueues(), since: changes) }
    }

    /// Removes one page of these part files; returns whether there may be more.
    private func removePage() async throws(StoreError) -> Bool {
        let unremovable = state.withLock { $0.unremovable }
        let page = try await seams.store.residues(
            for: .anyProcess,
            after: nil,
            limit: ClientSeams.pageLength
        )
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
        if !removed.isEmpty { try await seams.store.settleResidues(of: removed, as: .removed) }
        return page.count == ClientSeams.pageLength
    }
}
