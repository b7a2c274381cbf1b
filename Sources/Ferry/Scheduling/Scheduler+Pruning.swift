import FerryCore
import Logging

/// Forgets what was over long ago, a little at a time, while the engine runs.
extension Scheduler {
    /// How often what is over is looked at.
    static let pruneInterval: Duration = .seconds(60)
    /// How many are forgotten in one write, behind which others wait,
    static let pruneLength = 200
    /// and how long they have the store to themselves before the next.
    static let prunePause: Duration = .milliseconds(50)

    /// Prunes from time to time until the task is cancelled. A command that is soon over leaves it to one that is not.
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

    /// Prunes a little; returns whether there may be more.
    private func pruneSome(_ retention: Retention) async -> Bool {
        do throws(StoreError) {
            let forgotten = try await seams.store.prune(
                retention,
                upTo: Self.pruneLength,
                at: seams.clock.now
            )
            if !forgotten.isEmpty {
                configuration.logger.debug(
                    "Forgot what was over long ago.",
                    metadata: ["transfers": "\(forgotten.count)"]
                )
            }
            return forgotten.count == Self.pruneLength
        } catch {
            // Nothing depends on it. A store that cannot be written is told by whoever has to write to it.
            configuration.logger.warning(
                "Could not forget what was over long ago.",
                metadata: ["error": "\(error)"]
            )
            return false
        }
    }
}
