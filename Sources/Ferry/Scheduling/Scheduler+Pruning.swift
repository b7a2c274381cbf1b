import FerryCore
import Logging

/// Removes old finished transfers, a few at a time, while the engine runs.
extension Scheduler {
    /// Interval between prunings.
    static let pruneInterval: Duration = .seconds(60)
    /// Maximum transfers removed in one write, which blocks other writers.
    static let pruneLength = 200
    /// Pause between such writes, which leaves the store to other writers.
    static let prunePause: Duration = .milliseconds(50)

    /// Prunes at intervals until the task is cancelled. A short command ends before the first interval.
    func pruneNowAndThen() async {
        let retention = configuration.retention
        guard !retention.isUnbounded else { return }
        var pause = Self.pruneInterval
        while !Task.isCancelled {
            do {
                try await seams.clock.sleep(for: pause)
            } catch {
                return
            }
            pause = await pruneSome(retention) ? Self.prunePause : Self.pruneInterval
        }
    }

    /// Prunes once; returns whether there may be more.
    private func pruneSome(_ retention: Retention) async -> Bool {
        do throws(StoreError) {
            let forgotten = try await seams.store.prune(
                retention,
                upTo: Self.pruneLength,
                at: seams.clock.now
            )
            if !forgotten.isEmpty {
                configuration.logger.debug(
                    "Removed old finished transfers.",
                    metadata: ["transfers": "\(forgotten.count)"]
                )
            }
            return forgotten.count == Self.pruneLength
        } catch {
            // Nothing depends on pruning. Any task that must write to the store reports that it cannot be written.
            configuration.logger.warning(
                "Could not remove old finished transfers.",
                metadata: ["error": "\(error)"]
            )
            return false
        }
    }
}
