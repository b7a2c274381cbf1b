/// The order between transfers: a transfer that comes after others waits until all of them are completed, and fails
/// when one of them does.
///
/// A transfer begins only when no dependency is left, and a completed transfer stays completed (I8). So only a
/// transfer that never began has dependencies.
extension Transfer {
    /// `queued` or `waiting` → `waiting(dependency)`. A paused or failed transfer waits when it is queued again.
    ///
    /// - Parameter others: the transfers that are not yet completed.
    package mutating func comeAfter(_ others: [TransferID], at now: Instant) {
        let all = Set(dependencies).union(others)
        guard all.count > dependencies.count else { return }
        dependencies = all.sorted()
        switch state {
        case .queued, .waiting: enter(.waiting(.dependency), at: now)
        case .active, .paused, .completed, .failed, .cancelled: updated = now
        }
    }

    /// Removes all dependencies of a failed or paused transfer, which is about to be queued again.
    package mutating func dropDependencies() {
        guard claim == nil, state.isFailed || state == .paused else { return }
        dependencies = []
    }

    /// Replaces the dependencies by transfers that are not yet completed. A paused or failed transfer waits for them when it is
    /// queued again.
    mutating func replaceDependencies(with others: [TransferID], at now: Instant) {
        dependencies = others
        switch state {
        case .queued, .waiting:
            if !others.isEmpty {
                enter(.waiting(.dependency), at: now)
            } else if state == .waiting(.dependency) {
                enter(.queued, at: now)
            }
        case .active, .paused, .completed, .failed, .cancelled: updated = now
        }
    }

    /// Throws if the transfers that it comes after cannot be replaced.
    func requireFreeOrder() throws(StoreError) {
        guard state != .active else {
            throw .notPossible(
                id,
                "Transfer \(id) is running, and cannot wait for others any more.",
                [.pause]
            )
        }
        guard work.valueSources.isEmpty else {
            throw .notPossible(
                id,
                "Transfer \(id) takes values from the transfers that it comes after, and stays behind them."
            )
        }
    }

    /// Another transfer has completed. If it was the last dependency, `waiting(dependency)` → `queued`.
    ///
    /// - Returns: whether this transfer was queued.
    package mutating func dependencyCompleted(_ id: TransferID, at now: Instant) -> Bool {
        dependencies.removeAll { $0 == id }
        guard state == .waiting(.dependency), dependencies.isEmpty else { return false }
        enter(.queued, at: now)
        return true
    }

    /// The values of its response that other transfers need.
    package func values(for takers: [Transfer]) -> ResponseValues {
        ResponseValues(of: uuid, id, work.successfulResponse, for: takers.flatMap(\.work.valueSources))
    }

    /// A dependency will not complete: `waiting(dependency)` → `failed`. A paused transfer stays paused, and fails
    /// when it is resumed.
    ///
    /// - Parameter failure: ``failureOfDependents`` of the dependency. A transfer that takes values from others cannot
    ///   run without them, so it does not get that advice.
    /// - Returns: whether this transfer failed.
    package mutating func dependencyFailed(_ failure: TransferFailure, at now: Instant) -> Bool {
        guard state == .waiting(.dependency) else { return false }
        var failure = failure
        if !work.valueSources.isEmpty {
            failure.remedies.removeAll { $0 == .dropOrder }
            if failure.remedies.isEmpty { failure.remedies = [.addWithOtherOptions] }
        }
        enter(.failed(failure), at: now)
        claim = nil
        return true
    }

    /// Why the transfers fail that come after this one, directly or not; `nil` unless this one has failed or was
    /// cancelled.
    ///
    /// In a chain of any length, each failure names the transfer that failed first.
    package var failureOfDependents: TransferFailure? {
        switch state {
        case .failed(let failure) where failure.code == .dependencyFailed:
            return failure
        case .failed(let failure):
            return TransferFailure(
                .dependencyFailed,
                "Transfer \(id), which had to complete before it, has failed. \(failure.message)",
                remedies: [Self.completion(of: id, after: failure), .retry, .dropOrder],
                cause: failure.cause ?? failure.code
            )
        case .cancelled:
            return TransferFailure(
                .dependencyFailed,
                "Transfer \(id), which had to complete before it, was cancelled.",
                remedies: [.dropOrder]
            )
        case .queued, .active, .waiting, .paused, .completed:
            return nil
        }
    }

    /// The step that lets a failed transfer complete after all.
    ///
    /// - Parameter failure: why it has failed; `nil` if that cannot be read.
    private static func completion(of id: TransferID, after failure: TransferFailure?) -> Remedy {
        switch failure?.code {
        // A retry would be refused.
        case .outcomeUnknown?: .confirmFirst(id)
        case .responseLost?: .acceptLossFirst(id)
        default: .retryFirst(id)
        }
    }

    // MARK: Refusals

    /// Whether a new transfer that comes after `id` must wait for it.
    ///
    /// - Parameters:
    ///   - state: that transfer's state; `nil` if no transfer has that number.
    ///   - failure: returns why it has failed; `nil` if that cannot be read.
    /// - Throws: ``StoreError/noSuchTransfer(_:)``; ``StoreError/notPossible(_:_:_:)`` when it has failed or was
    ///   cancelled; what `failure` throws.
    package static func isAwaited(
        _ id: TransferID,
        in state: TransferState.Name?,
        failure: () throws -> TransferFailure?
    ) throws -> Bool {
        guard let state else { throw StoreError.noSuchTransfer(id) }
        switch state {
        case .completed: return false
        case .failed:
            throw StoreError.notPossible(
                id,
                "Transfer \(id) has failed, so no transfer can come after it.",
                [completion(of: id, after: try failure())]
            )
        case .cancelled:
            throw StoreError.notPossible(
                id,
                "Transfer \(id) was cancelled, so no transfer can come after it."
            )
        case .queued, .active, .waiting, .paused: return true
        }
    }

    /// Returns why this transfer may not be queued: it would wait forever. Returns `nil` when it may.
    ///
    /// - Parameters:
    ///   - former: the transfer before the change, and after a refusal.
    ///   - state: returns another transfer's state; `nil` if no transfer has that number.
    ///   - failure: returns why another transfer has failed; `nil` if that cannot be read.
    package func refusalOfVainWait<Failure: Error>(
        since former: Transfer,
        _ state: (TransferID) throws(Failure) -> TransferState.Name?,
        failure: (TransferID) throws(Failure) -> TransferFailure?
    ) throws(Failure) -> StoreError? {
        guard self.state == .waiting(.dependency) else { return nil }
        let mayDropOrder = work.valueSources.isEmpty
        for other in dependencies {
            let name = try state(other)
            switch name {
            case .failed:
                let completion = Self.completion(of: other, after: try failure(other))
                return .notPossible(
                    id,
                    "Transfer \(id) comes after transfer \(other), which has failed.",
                    mayDropOrder ? [completion, .dropOrder] : [completion]
                )
            case .cancelled, nil:
                let end = name == nil ? "no longer exists" : "was cancelled"
                return .notPossible(
                    id,
                    "Transfer \(id) comes after transfer \(other), which \(end).",
                    mayDropOrder ? [.dropOrder] : work.value.renewals(isOver: former.state.isFinal)
                )
            case .queued, .active, .waiting, .paused, .completed: continue
            }
        }
        return nil
    }

    /// Returns why this transfer may not come after others: it would come after itself. Returns `nil` when it may.
    ///
    /// - Parameter dependencies: returns what another transfer comes after.
    package func refusalOfCycle<Failure: Error>(
        after others: [TransferID],
        _ dependencies: (TransferID) throws(Failure) -> [TransferID]
    ) throws(Failure) -> StoreError? {
        var seen: Set<TransferID> = []
        var open = others
        // A chain of any length is walked without recursion.
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
