import FerryCore
import Logging

/// Removes old finished transfers, old downloads that failed without a byte, and evicted files. It removes a few at a time,
/// while the engine runs.
struct Pruner: Sendable {
    /// Interval between prunings.
    static let interval: Duration = .seconds(60)
    /// Maximum transfers removed in one write, which blocks other writers.
    static let length = 200
    /// Pause between such writes, which leaves the store to other writers.
    static let pause: Duration = .milliseconds(50)

    let seams: EngineSeams
    let retention: Retention
    let logger: Logger

    /// Prunes at intervals until the task is cancelled. A short command ends before the first interval.
    func run() async {
        var pause = Self.interval
        while !Task.isCancelled {
            guard await seams.clock.hasSlept(for: pause) else { return }
            pause = await pruneSome() ? Self.pause : Self.interval
        }
    }

    /// Prunes once; returns whether there may be more.
    private func pruneSome() async -> Bool {
        do throws(StoreError) {
            // What other processes had no room for is deleted here, too.
            try await PoolFiles(seams.client, logger).deleteLeaving()
            if retention.isUnbounded { return false }
            let forgotten = try await seams.store.prune(retention, upTo: Self.length, at: seams.clock.now)
            if !forgotten.isEmpty {
                logger.debug(
                    "Removed old finished transfers.",
                    metadata: ["transfers": "\(forgotten.count)"]
                )
            }
            return forgotten.count == Self.length
        } catch {
            // Nothing depends on pruning. Any task that must write to the store reports that it cannot be written.
            logger.warning("Could not remove old finished transfers.", metadata: ["error": "\(error)"])
            return false
        }
    }
}
