import FerryCore
import Logging

/// This process's membership among the owners of a store.
actor Ownership {
    private let seams: EngineSeams
    private var joining: Task<OwnerID, any Error>?

    init(seams: EngineSeams) {
        self.seams = seams
    }

    /// Joins, once; later callers get the same owner. Those whom death took are removed first, so that what
    /// they left can be claimed.
    func join() async throws(StoreError) -> OwnerID {
        if joining == nil {
            let seams = seams
            joining = Task {
                let owner = try await seams.store.join(seams.host.currentProcess, at: seams.clock.now)
                _ = try await Self.removeTheDead(seams)
                return owner
            }
        }
        do {
            return try await joining!.value
        } catch let error as StoreError {
            joining = nil
            throw error
        } catch {
            joining = nil
            throw .unavailable(path: "", "\(error)")
        }
    }

    /// Removes owners whose process is gone; what they held becomes free.
    func rescueTheDead(logger: Logger) async throws(StoreError) {
        let freed = try await Self.removeTheDead(seams)
        if !freed.isEmpty {
            logger.notice("Took over from a process that died.", metadata: ["transfers": "\(freed.count)"])
        }
    }

    /// Leaves; what is still held becomes free.
    func leave() async throws(StoreError) {
        guard joining != nil else { return }
        let owner = try await join()
        joining = nil
        _ = try await seams.store.remove(owner, at: seams.clock.now)
    }

    private static func removeTheDead(_ seams: EngineSeams) async throws(StoreError) -> [TransferID] {
        var freed: [TransferID] = []
        for owner in try await seams.store.owners() where !seams.host.isAlive(owner.process) {
            freed += try await seams.store.remove(owner.id, at: seams.clock.now)
        }
        return freed
    }
}
