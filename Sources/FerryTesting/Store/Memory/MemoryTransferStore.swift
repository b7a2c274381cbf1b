package import FerryCore
import Synchronization

/// A store in memory that behaves like the live one, for tests and simulators.
///
/// It is deterministic, and notifies its listeners of a change at once. It knows what would survive power
/// loss: as in the live store, a commit that must survive it also makes everything before it durable.
package final class MemoryTransferStore: TransferStore {
    private struct State {
        var image: StoreImage
        /// The errors of the next writes, in order; `nil` for one that succeeds.
        var plannedFailures: [StoreError?] = []
        /// Runs once before the caller of a claim that took something gets its answer.
        var claimPause: (@Sendable () async -> Void)?
        /// Runs once before the caller of a look at completed transfers gets its answer.
        var lookPause: (@Sendable () async -> Void)?
        /// Number of looks for part files of transfers that gave way.
        var residueLooks = 0
        var listeners = ChangeListeners()
        var isClosed = false
    }

    /// The path in error messages.
    package static let path = "(memory)"

    private let state: Mutex<State>

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - localTime: the local time by which time windows open and close.
    ///   - random: makes the UUIDs of its transfers differ from those of other stores.
    package init(
        localTime: LocalTime = .utc,
        random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        state = Mutex(State(image: StoreImage(localTime: localTime, random: random)))
    }

    // MARK: Faults

    /// Makes the next write fail with this error, as if its commit had failed; several calls queue up.
    ///
    /// - Parameter count: the number of writes that succeed before it.
    package func failNextWrite(with error: StoreError, after count: Int = 0) {
        state.withLock { state in
            state.plannedFailures += [StoreError?](repeating: nil, count: count)
            state.plannedFailures.append(error)
        }
    }

    /// Runs `body` after the next claim that takes something, before it returns.
    package func beforeNextClaimReturns(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.claimPause = body }
    }

    /// Runs the pending callback after a claim.
    func pauseAfterClaim() async {
        let body = state.withLock { state in
            defer { state.claimPause = nil }
            return state.claimPause
        }
        await body?()
    }

    /// Runs `body` after the next look at completed transfers, before it returns.
    package func beforeNextLookReturns(_ body: @escaping @Sendable () async -> Void) {
        state.withLock { $0.lookPause = body }
    }

    /// Runs the pending callback after a look at completed transfers.
    func pauseAfterLook() async {
        let body = state.withLock { state in
            defer { state.lookPause = nil }
            return state.lookPause
        }
        await body?()
    }

    /// Number of looks for part files of transfers that gave way.
    package var residueLooks: Int { state.withLock { $0.residueLooks } }

    /// Counts a look for part files of transfers that gave way.
    func noteResidueLook() { state.withLock { $0.residueLooks += 1 } }

    /// Goes back to the state after a power loss: the latest commit that had to survive it, and all before
    /// that.
    package func losePower() {
        state.withLock { $0.image.goBack(to: 0) }
        signal()
    }

    /// Goes back to a possible state after a power loss: the latest commit that had to survive it, and some of the
    /// first commits after it. A log on disk keeps commits in order.
    package func losePower(using random: inout SeededRandom) {
        state.withLock { $0.image.losePower(using: &random) }
        signal()
    }

    // MARK: Access

    /// Runs a write: all of it or nothing.
    ///
    /// - Parameters:
    ///   - durability: what the commit must survive, as far as it is known beforehand.
    ///   - owner: the owner whose attempt writes.
    ///   - body: the write; its changes are undone when it throws.
    func write<Value: Sendable>(
        _ durability: Durability,
        by owner: OwnerID? = nil,
        _ body: @Sendable (MemoryRows) throws -> Value
    ) throws(StoreError) -> Value {
        let (value, changes) = try state.withLock { state throws(StoreError) in
            try Self.run(body, durability, on: &state)
        }
        if changes { signal(by: owner) }
        return value
    }

    private static func run<Value: Sendable>(
        _ body: @Sendable (MemoryRows) throws -> Value,
        _ durability: Durability,
        on state: inout State
    ) throws(StoreError) -> (Value, changes: Bool) {
        if state.isClosed { throw .unavailable(path: path, "it has been closed") }
        if !state.plannedFailures.isEmpty, let failure = state.plannedFailures.removeFirst() { throw failure }
        let mark = state.image.mark
        state.image.beginWrite()
        let rows = MemoryRows(
            StoreImage(localTime: state.image.localTime, random: state.image.random),
            durability
        )
        // Only one variable holds it, so that a change copies no part of it.
        swap(&rows.image, &state.image)
        defer { swap(&rows.image, &state.image) }
        do {
            let value = try body(rows)
            let changes = rows.image.mark > mark
            if rows.durability == .power { rows.image.makeDurable() } else { rows.image.noteCommit() }
            return (value, changes)
        } catch {
            rows.image.goBack(to: mark)
            guard let error = error as? StoreError else {
                preconditionFailure("memory fails otherwise: \(error)")
            }
            throw error
        }
    }

    /// Reads the current content.
    func read<Value: Sendable>(_ body: @Sendable (StoreImage) -> Value) throws(StoreError) -> Value {
        let value: Value? = state.withLock { $0.isClosed ? nil : body($0.image) }
        guard let value else { throw .unavailable(path: Self.path, "it has been closed") }
        return value
    }

    /// Yields whenever anything in the store may have changed; ends when the store is closed.
    package func changes(besides owner: OwnerID?) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state -> Int? in
            if state.isClosed { return nil }
            return state.listeners.add(continuation, besides: owner)
        }
        if let number {
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners.remove(number) }
            }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Commits pending writes and closes the store. A second call waits for the first.
    package func close() async {
        let listeners = state.withLock { state in
            state.isClosed = true
            return state.listeners.removeAll()
        }
        for listener in listeners { listener.finish() }
    }

    private func signal(by owner: OwnerID? = nil) {
        for listener in state.withLock({ $0.listeners.all(besides: owner) }) { listener.yield() }
    }
}
