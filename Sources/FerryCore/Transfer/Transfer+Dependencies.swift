/// The order between transfers: one that is to come after others waits until all of them are completed, and fails when
/// one of them does.
///
/// A transfer begins only when nothing is left that it is to come after, and what is completed stays so (I8). So only one
/// that never began has dependencies.
extension Transfer {
    /// `queued` or `waiting` → `waiting(dependency)`; one that is paused or has failed waits when it is queued again.
    ///
    /// - Parameter others: those that are yet to complete.
    public mutating func comeAfter(_ others: [TransferID], at now: Instant) {
        let all = Set(dependencies).union(others)
        guard all.count > dependencies.count else { return }
        dependencies = all.sorted()
        switch state {
        case .queued, .waiting: enter(.waiting(.dependency), at: now)
        case .active, .paused, .completed, .failed, .cancelled: updated = now
        }
    }

    /// Another transfer is completed: when it was the last that this one waited for, `waiting(dependency)` → `queued`.
    ///
    /// - Returns: whether it is queued by it.
    public mutating func dependencyCompleted(_ id: TransferID, at now: Instant) -> Bool {
        dependencies.removeAll { $0 == id }
        guard state == .waiting(.dependency), dependencies.isEmpty else { return false }
        enter(.queued, at: now)
        return true
    }

    /// A transfer that this one waits for will not complete: `waiting(dependency)` → `failed`. One that is paused stays
    /// so, and finds out when it is resumed.
    ///
    /// - Parameter failure: as ``failureOfDependents`` of the one that ended.
    /// - Returns: whether it failed by it.
    public mutating func dependencyFailed(_ failure: TransferFailure, at now: Instant) -> Bool {
        guard state == .waiting(.dependency) else { return false }
        enter(.failed(failure), at: now)
        claim = nil
        return true
    }

    /// Why those fail that were to come after this one, and those that were to come after them; `nil` unless this one
    /// has failed or was cancelled.
    ///
    /// However long the line is, each names the transfer in which it broke.
    public var failureOfDependents: TransferFailure? {
        switch state {
        case .failed(let failure) where failure.code == .dependencyFailed:
            return failure
        case .failed(let failure):
            return TransferFailure(
                .dependencyFailed,
                "Transfer \(id), which had to complete before it, has failed. \(failure.message)",
                hint: "`ferry retry \(id)` retries that one; then `ferry retry {id}`.",
                cause: failure.cause ?? failure.code
            )
        case .cancelled:
            return TransferFailure(
                .dependencyFailed,
                "Transfer \(id), which had to complete before it, was cancelled.",
                hint: "`ferry remove {id}`, then `ferry get` with its URL adds it without that one."
            )
        case .queued, .active, .waiting, .paused, .completed:
            return nil
        }
    }

    // MARK: Refusals

    /// Whether a new transfer that is to come after `id` has to wait for it.
    ///
    /// - Parameter state: the name of that one's state; `nil` when there is none with that number.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:)`` when it will not complete by itself.
    public static func isAwaited(_ id: TransferID, in state: String?) throws(StoreError) -> Bool {
        guard let state else { throw .noSuchTransfer(id) }
        switch state {
        case "completed": return false
        case "failed":
            throw .notPossible(
                id,
                "Transfer \(id) has failed, so no transfer can come after it. Retry it first with `ferry retry \(id)`."
            )
        case "cancelled":
            throw .notPossible(id, "Transfer \(id) was cancelled, so no transfer can come after it.")
        default: return true
        }
    }

    /// Why this transfer may not be queued: it would wait in vain. `nil` when it may.
    ///
    /// - Parameter state: the name of the state of another transfer; `nil` when there is none with that number.
    public func refusalOfVainWait<Failure: Error>(
        _ state: (TransferID) throws(Failure) -> String?
    ) throws(Failure) -> StoreError? {
        guard self.state == .waiting(.dependency) else { return nil }
        for other in dependencies {
            let name = try state(other)
            switch name {
            case "failed":
                return .notPossible(
                    id,
                    "Transfer \(id) comes after transfer \(other), which has failed. Retry that one first with `ferry retry \(other)`."
                )
            case "cancelled", nil:
                let end = name == nil ? "no longer exists" : "was cancelled"
                return .notPossible(
                    id,
                    "Transfer \(id) comes after transfer \(other), which \(end)."
                        + " `ferry remove \(id)`, then `ferry get` with its URL adds it without that one."
                )
            default: continue
            }
        }
        return nil
    }

    /// Why this transfer may not come after others: it would come after itself. `nil` when it may.
    ///
    /// - Parameter dependencies: what another transfer comes after.
    public func refusalOfCycle<Failure: Error>(
        after others: [TransferID],
        _ dependencies: (TransferID) throws(Failure) -> [TransferID]
    ) throws(Failure) -> StoreError? {
        var seen: Set<TransferID> = []
        var open = others
        // A line of any length is walked without recursion.
        while let other = open.popLast() {
            guard other != id else {
                return .notPossible(
                    id,
                    "Transfer \(id) cannot come after itself, or after a transfer that comes after it."
                )
            }
            if seen.insert(other).inserted { open += try dependencies(other) }
        }
        return nil
    }
}
