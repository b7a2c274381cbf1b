import FerryCore
import Logging
import Synchronization

/// Hands the ends of transfers to the handlers of their types.
///
/// The store keeps each end until its handler has returned, and hands out no later end of the same transfer before that. A
/// handler that throws is called again later, in any process that has one, and delays no other transfer's end.
final class ResultHandlers: Sendable {
    /// Handles the end of a transfer.
    typealias Handler = @Sendable (Transfer) async throws -> Void

    /// Maximum number of results of one type that are handled at once.
    static let mostAtOnce = 8

    private struct State {
        var handlers: [TransferType: Handler] = [:]
        /// Number of results in hand, by type.
        var running: [TransferType: Int] = [:]
        /// Number of reasons to look so far.
        var reasons = 0
        /// The value of `reasons` at the last look.
        var seen = 0

        /// The types for which more results can be handled, and how many.
        var open: [(type: TransferType, free: Int)] {
            // In an order of their own, so that a simulated run can be repeated.
            handlers.keys.sorted { $0.text < $1.text }.compactMap { type in
                let free = ResultHandlers.mostAtOnce - running[type, default: 0]
                return free > 0 ? (type, free) : nil
            }
        }
    }

    private let seams: EngineSeams
    private let logger: Logger
    private let state = Mutex(State())
    private let signal = LookSignal()
    private let alarm = Alarm()

    init(seams: EngineSeams, logger: Logger) {
        self.seams = seams
        self.logger = logger
    }

    /// The scheduler's reactions.
    struct Reports: Sendable {
        /// The store failed.
        var failed: @Sendable (StoreError) -> Void
        /// There may be nothing left to handle.
        var looked: @Sendable () -> Void
    }

    /// Sets the handler of a type.
    func set(_ handler: @escaping Handler, for type: TransferType) {
        state.withLock { $0.handlers[type] = handler }
        look()
    }

    /// Whether a result is being handled, or may be due.
    var mayHold: Bool {
        state.withLock { state in
            !state.handlers.isEmpty
                && (state.seen < state.reasons || state.running.values.contains { $0 > 0 })
        }
    }

    /// Asks for a look: a transfer may have ended.
    func look() {
        let isNeeded = state.withLock { state in
            guard !state.handlers.isEmpty else { return false }
            state.reasons += 1
            return true
        }
        if isNeeded { signal.look() }
    }

    /// Yields an element whenever there may be something to do. It serves one run of the engine.
    func begin() -> AsyncStream<Void> {
        state.withLock { $0.reasons += 1 }
        return signal.begin()
    }

    /// Handles results whenever `looks` has an element, until the task is cancelled. Handlers are then cancelled, too,
    /// and awaited.
    func run(for owner: OwnerID, when looks: AsyncStream<Void>, _ reports: Reports) async {
        await withDiscardingTaskGroup { group in
            for await _ in looks {
                let (reasons, open) = state.withLock { ($0.reasons, $0.open) }
                do throws(StoreError) {
                    for (type, free) in open {
                        for result in try await take(type, upTo: free, for: owner) {
                            group.addTask { await self.handle(result, reports) }
                        }
                    }
                    let types = state.withLock { $0.open.map(\.type) }
                    let now = seams.clock.now
                    if let next = try await seams.store.nextResultTime(of: types, at: now) {
                        alarm.set(for: next, by: seams.clock, in: &group) { self.look() }
                    }
                } catch {
                    reports.failed(error)
                }
                state.withLock { $0.seen = reasons }
                reports.looked()
            }
            group.cancelAll()
        }
    }

    /// Takes results of a type in hand. Most looks find none, and then nothing is written.
    private func take(
        _ type: TransferType,
        upTo limit: Int,
        for owner: OwnerID
    ) async throws(StoreError) -> [ResultInHand] {
        let now = seams.clock.now
        guard let next = try await seams.store.nextResultTime(of: [type], at: now), next <= now else {
            return []
        }
        let results = try await seams.store.takeResults(of: type, upTo: limit, for: owner, at: now)
        state.withLock { $0.running[type, default: 0] += results.count }
        return results
    }

    private func handle(_ given: ResultInHand, _ reports: Reports) async {
        let type = given.result.type
        let fate = await fate(of: given)
        do throws(StoreError) {
            try await seams.store.settle(given.result, as: fate)
        } catch {
            reports.failed(error)
        }
        // In one step, so that the engine never seems to hold nothing in between.
        state.withLock { state in
            state.running[type, default: 0] -= 1
            state.reasons += 1
        }
        signal.look()
    }

    /// Calls the handler.
    private func fate(of given: ResultInHand) async -> UnhandledResult.Fate {
        guard let handler = state.withLock({ $0.handlers[given.result.type] }), !Task.isCancelled else {
            return .released
        }
        do {
            try await handler(given.transfer)
            return .handled
        } catch {
            guard !Task.isCancelled else { return .released }
            let failures = given.result.failures + 1
            // Logs only the error's type: its text may quote the response, which may be a secret.
            logger.warning(
                "A handler has thrown, and is called again.",
                metadata: [
                    "transfer": "\(given.transfer.id)", "type": "\(given.result.type)",
                    "error": "\(Swift.type(of: error))", "failures": "\(failures)",
                ]
            )
            return .failed(retryAt: seams.clock.now.advanced(by: seams.pause(afterFailures: failures)))
        }
    }
}
