import FerryCore
import Logging

/// This process's membership among the owners of a store.
actor Ownership {
    private let seams: ClientSeams
    /// The part files of transfers that gave way.
    let displacedParts: DisplacedParts
    private let logger: Logger
    /// Transfers that failed because their owner is gone, and were not reported yet.
    private var failures: [Transfer] = []
    private var membership = Membership.none
    /// When this process looked for dead owners as it opened the store; `nil` if it did not.
    private var opened: Instant?
    /// Whether other processes may not see that this one lives, and this was logged.
    private var isUnseen = false
    /// An owner and the proof that it lives.
    private typealias Seated = (owner: OwnerID, process: ProcessIdentity)

    private enum Membership {
        /// Not joined. Exits to `joining`.
        case none
        /// The row is being written; other callers await the same task. Exits to `joined` or `none`.
        case joining(Task<Result<Seated, StoreError>, Never>)
        /// Joined, with this proof of life in the row. Exits to `none` by leaving.
        case joined(OwnerID, ProcessIdentity)
    }

    init(seams: ClientSeams, logger: Logger) {
        self.seams = seams
        displacedParts = DisplacedParts(seams: seams, logger: logger)
        self.logger = logger
    }

    /// Joins, once; later callers get the same owner. Also removes dead owners, so that their transfers can be claimed, unless
    /// that was done a moment ago as the store was opened.
    func join() async throws(StoreError) -> OwnerID {
        let task: Task<Result<Seated, StoreError>, Never>
        switch membership {
        case .joined(let owner, _): return owner
        case .joining(let underway): task = underway
        case .none:
            let seams = seams
            task = Task(executorPreference: seams.executor) {
                do throws(StoreError) {
                    // The proof of life comes first: other processes look for it as soon as they see the row.
                    let process = try await seams.host.enrol()
                    return .success((try await seams.store.join(process, at: seams.clock.now), process))
                } catch {
                    return .failure(error)
                }
            }
            membership = .joining(task)
        }
        let result = await task.value
        // Other callers of the same task may have set this already.
        if case .joining = membership {
            if case .success(let seated) = result {
                membership = .joined(seated.owner, seated.process)
                if !hasJustOpened { try await rescueTheDead() }
            } else {
                membership = .none
            }
        }
        return try result.get().owner
    }

    /// Renews the proof of life if it was removed or replaced, so that other processes see that this one lives.
    func keepSeat() async throws(StoreError) {
        guard case .joined(let owner, let known) = membership else { return }
        let process: ProcessIdentity
        do throws(StoreError) {
            process = try await seams.host.enrol()
        } catch {
            // Running transfers continue, with the former proof.
            if !isUnseen {
                logger.warning(
                    "Other processes may not see that this one is alive.",
                    metadata: ["error": "\(error)"]
                )
            }
            isUnseen = true
            return
        }
        isUnseen = false
        // This process may have left meanwhile, or another task may have renewed the row.
        guard process != known, case .joined(owner, known) = membership else { return }
        try await seams.store.renew(owner, as: process)
        if case .joined(owner, known) = membership { membership = .joined(owner, process) }
    }

    /// Removes dead owners as the store is opened.
    func rescueAtOpening() async throws(StoreError) {
        opened = seams.clock.now
        try await rescueTheDead()
    }

    /// Whether the store was opened within the interval at which an engine looks for dead owners.
    private var hasJustOpened: Bool {
        let now = seams.clock.now
        guard let opened, opened <= now else { return false }
        return opened.duration(to: now) < Scheduler.lookInterval
    }

    /// Removes owners whose process is proved dead; their transfers become free.
    func rescueTheDead() async throws(StoreError) {
        var freed = 0
        for owner in try await seams.store.owners() where seams.host.life(of: owner.process) == .dead {
            freed += try await free(owner.id, after: seams.host.end(of: owner.process))
        }
        if freed > 0 {
            logger.notice("Took over from a process that died.", metadata: ["transfers": "\(freed)"])
        }
        try await displacedParts.removeExpected()
    }

    /// Takes these transfers from owners that cannot be proved alive or dead, because a person says that they are
    /// dead. Those owners keep their other transfers.
    func takeOver(_ ids: [TransferID]) async throws(StoreError) {
        let unproved = try await seams.store.owners().filter { seams.host.life(of: $0.process) == .unproved }
        guard !unproved.isEmpty else { return }
        for page in ids.pages {
            let freed = try await seams.store.takeOver(
                page,
                from: Set(unproved.map(\.id)),
                at: seams.clock.now
            )
            try await cleanUp(after: freed)
        }
    }

    /// Removes an owner; returns how many transfers this freed. A transfer that ended before it obeyed a cancel has
    /// left a part file, which is removed too.
    private func free(_ owner: OwnerID, after end: OwnerEnd) async throws(StoreError) -> Int {
        let left = try await seams.store.remove(owner, after: end, at: seams.clock.now)
        try await cleanUp(after: left)
        return left.count
    }

    private func cleanUp(after freed: [TransferID]) async throws(StoreError) {
        // A displaced transfer may be among them.
        if !freed.isEmpty { displacedParts.expectChange() }
        for page in freed.pages {
            for case let transfer? in try await seams.store.transfers(page) {
                switch transfer.state {
                case .cancelled: await seams.removeLeftover(of: transfer, logger: logger)
                case .failed: failures.append(transfer)
                case .queued, .active, .waiting, .paused, .completed: break
                }
            }
        }
    }

    /// Takes the transfers that failed because their owner is gone; each is reported once.
    func takeFailures() -> [Transfer] {
        defer { failures = [] }
        return failures
    }

    /// Leaves; transfers still held become free.
    func leave() async throws(StoreError) {
        if case .none = membership { return }
        let owner = try await join()
        membership = .none
        _ = try await free(owner, after: .left)
    }
}

extension HostInspector {
    /// How a dead process ended.
    func end(of process: ProcessIdentity) -> OwnerEnd {
        process.boot == boot ? .died : .rebooted
    }
}
