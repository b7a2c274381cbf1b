package import FerryCore
import Logging

/// This process's membership among the owners of a store.
actor Ownership {
    private let seams: EngineSeams
    private let logger: Logger
    /// What has failed because its owner is gone, and was not told yet.
    private var failures: [Transfer] = []
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
                        // The proof of its life comes first: as soon as its row is seen, others ask for that.
                        try await seams.store.join(try await seams.host.enrol(), at: seams.clock.now)
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

    /// Removes owners whose process is proved to be gone; what they held becomes free.
    func rescueTheDead() async throws(StoreError) {
        var freed = 0
        for owner in try await seams.store.owners() where seams.host.life(of: owner.process) == .dead {
            freed += try await free(owner.id, after: seams.host.end(of: owner.process))
        }
        if freed > 0 {
            logger.notice("Took over from a process that died.", metadata: ["transfers": "\(freed)"])
        }
    }

    /// Removes an owner; returns how many transfers that freed. One that ended before it obeyed a wish to cancel has
    /// left a part file as well.
    private func free(_ owner: OwnerID, after end: OwnerEnd) async throws(StoreError) -> Int {
        let left = try await seams.store.remove(owner, after: end, at: seams.clock.now)
        for page in left.pages {
            for case let transfer? in try await seams.store.transfers(Array(page)) {
                switch transfer.state {
                case .cancelled: await seams.removeLeftover(of: transfer, logger: logger)
                case .failed: failures.append(transfer)
                case .queued, .active, .waiting, .paused, .completed: break
                }
            }
        }
        return left.count
    }

    /// What was found to have failed because its owner is gone; each is told once.
    func takeFailures() -> [Transfer] {
        defer { failures = [] }
        return failures
    }

    /// Leaves; what is still held becomes free.
    func leave() async throws(StoreError) {
        if case .none = membership { return }
        let owner = try await join()
        membership = .none
        _ = try await free(owner, after: .left)
    }
}

extension TransferEngine {
    /// How an owner came to its end, given that its process is dead.
    package func end(of owner: Owner) -> OwnerEnd { seams.host.end(of: owner.process) }
}

extension HostInspector {
    /// How a dead process came to its end.
    fileprivate func end(of process: ProcessIdentity) -> OwnerEnd {
        process.boot == boot ? .died : .rebooted
    }
}
