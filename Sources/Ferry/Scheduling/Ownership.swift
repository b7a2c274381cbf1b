import FerryCore
import Logging

/// This process's membership among the owners of a store.
actor Ownership {
    private let seams: ClientSeams
    private let logger: Logger
    /// What has failed because its owner is gone, and was not told yet.
    private var failures: [Transfer] = []
    private var membership = Membership.none
    /// Whether others may see nothing of this process's life, and that was said.
    private var isUnseen = false
    /// An owner and the proof that it lives.
    private typealias Seated = (owner: OwnerID, process: ProcessIdentity)

    private enum Membership {
        /// Not joined; exits to `joining`.
        case none
        /// The row is being written; whoever asks meanwhile awaits the same task. Exits to `joined` or `none`.
        case joining(Task<Result<Seated, StoreError>, Never>)
        /// Joined, with that proof of life in its row; exits to `none` by leaving.
        case joined(OwnerID, ProcessIdentity)
    }

    init(seams: ClientSeams, logger: Logger) {
        self.seams = seams
        self.logger = logger
    }

    /// Joins, once; later callers get the same owner. Those whom death took are removed as well, so that what
    /// they left can be claimed.
    func join() async throws(StoreError) -> OwnerID {
        let task: Task<Result<Seated, StoreError>, Never>
        switch membership {
        case .joined(let owner, _): return owner
        case .joining(let underway): task = underway
        case .none:
            let seams = seams
            task = Task(executorPreference: seams.executor) {
                do throws(StoreError) {
                    // The proof of its life comes first: as soon as its row is seen, others ask for that.
                    let process = try await seams.host.enrol()
                    return .success((try await seams.store.join(process, at: seams.clock.now), process))
                } catch {
                    return .failure(error)
                }
            }
            membership = .joining(task)
        }
        let result = await task.value
        // Others that awaited the same task may have been here before.
        if case .joining = membership {
            if case .success(let seated) = result {
                membership = .joined(seated.owner, seated.process)
                try await rescueTheDead()
            } else {
                membership = .none
            }
        }
        return try result.get().owner
    }

    /// Sees to it that others still see this process live: what proves it may have been removed, or replaced.
    func keepSeat() async throws(StoreError) {
        guard case .joined(let owner, let known) = membership else { return }
        let process: ProcessIdentity
        do throws(StoreError) {
            process = try await seams.host.enrol()
        } catch {
            // What runs goes on, with the former proof.
            if !isUnseen {
                logger.warning(
                    "Other processes may not see that this one lives.",
                    metadata: ["error": "\(error)"]
                )
            }
            isUnseen = true
            return
        }
        isUnseen = false
        // It may have left meanwhile, or another task has been here.
        guard process != known, case .joined(owner, known) = membership else { return }
        try await seams.store.renew(owner, as: process)
        if case .joined(owner, known) = membership { membership = .joined(owner, process) }
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

    /// Takes the named transfers from owners that cannot be proved alive or dead, because a person says that they are dead.
    /// Those owners keep their other transfers.
    func takeOver(_ ids: [TransferID]) async throws(StoreError) {
        let unproved = try await seams.store.owners().filter { seams.host.life(of: $0.process) == .unproved }
        guard !unproved.isEmpty else { return }
        for page in ids.pages {
            let freed = try await seams.store.takeOver(
                Array(page),
                from: Set(unproved.map(\.id)),
                at: seams.clock.now
            )
            try await cleanUp(after: freed)
        }
    }

    /// Removes an owner; returns how many transfers that freed. One that ended before it obeyed a wish to cancel has
    /// left a part file as well.
    private func free(_ owner: OwnerID, after end: OwnerEnd) async throws(StoreError) -> Int {
        let left = try await seams.store.remove(owner, after: end, at: seams.clock.now)
        try await cleanUp(after: left)
        return left.count
    }

    private func cleanUp(after freed: [TransferID]) async throws(StoreError) {
        for page in freed.pages {
            for case let transfer? in try await seams.store.transfers(Array(page)) {
                switch transfer.state {
                case .cancelled: await seams.removeLeftover(of: transfer, logger: logger)
                case .failed: failures.append(transfer)
                case .queued, .active, .waiting, .paused, .completed: break
                }
            }
        }
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

extension HostInspector {
    /// How a dead process came to its end.
    func end(of process: ProcessIdentity) -> OwnerEnd {
        process.boot == boot ? .died : .rebooted
    }
}
