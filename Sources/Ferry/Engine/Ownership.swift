import FerryCore
import Logging

/// This process's membership among the owners of a store.
actor Ownership {
    private let seams: EngineSeams
    private let logger: Logger
    private var membership = Membership.none

    private enum Membership {
        /// Not joined; exits to `joining`.
        case none
        /// The row is being written; whoever asks meanwhile awaits the same task. Exits to `joined` or `none`.
        case joining(Task<Result<OwnerID, StoreError>, Never>)
        /// Joined; exits to `none` by leaving.
        case joined(OwnerID)
    }

    init(seams: EngineSeams, logger: Logger) {
        self.seams = seams
        self.logger = logger
    }

    /// Joins, once; later callers get the same owner. Those whom death took are removed as well, so that what
    /// they left can be claimed.
    func join() async throws(StoreError) -> OwnerID {
        let task: Task<Result<OwnerID, StoreError>, Never>
        switch membership {
        case .joined(let owner): return owner
        case .joining(let underway): task = underway
        case .none:
            let seams = seams
            task = Task(executorPreference: seams.executor) {
                do throws(StoreError) {
                    return .success(
                        try await seams.store.join(seams.host.currentProcess, at: seams.clock.now)
                    )
                } catch {
                    return .failure(error)
                }
            }
            membership = .joining(task)
        }
        let result = await task.value
        // Others that awaited the same task may have been here before.
        if case .joining = membership {
            if case .success(let owner) = result { membership = .joined(owner) } else { membership = .none }
            if case .success = result { try await rescueTheDead() }
        }
        return try result.get()
    }

    /// Removes owners whose process is gone; what they held becomes free.
    func rescueTheDead() async throws(StoreError) {
        var freed = 0
        for owner in try await seams.store.owners() where !seams.host.isAlive(owner.process) {
            freed += try await free(owner.id)
        }
        if freed > 0 {
            logger.notice("Took over from a process that died.", metadata: ["transfers": "\(freed)"])
        }
    }

    /// Removes an owner; returns how many transfers that freed. One that ended before it obeyed a wish to cancel has
    /// left a part file as well.
    private func free(_ owner: OwnerID) async throws(StoreError) -> Int {
        let left = try await seams.store.remove(owner, at: seams.clock.now)
        for id in left {
            if let transfer = try await seams.store.transfer(id), transfer.state == .cancelled {
                await seams.removeLeftover(of: transfer, logger: logger)
            }
        }
        return left.count
    }

    /// Leaves; what is still held becomes free.
    func leave() async throws(StoreError) {
        if case .none = membership { return }
        let owner = try await join()
        membership = .none
        _ = try await free(owner)
    }
}
