import Ferry
import FerryFrontend

/// Why transfers of some queues do not start until a person acts.
struct QueueStops: Hashable, Sendable {
    /// The paused queues.
    var paused: Set<String> = []
    /// The failed transfer that holds a strict queue, by the queue's name.
    var holders: [String: TransferID] = [:]

    /// Finds which of these queues are stopped, and why.
    init(of queues: Set<String>, in engine: some TransferAccess) async throws(StoreError) {
        guard !queues.isEmpty else { return }
        let changed = try await engine.changedQueues().filter { queues.contains($0.name) }
        paused = Set(changed.lazy.filter(\.isPaused).map(\.name))
        // Usually no queue is strict; then no transfers have to be counted.
        guard changed.contains(where: { $0.order == .strict && !$0.isPaused }) else { return }
        for summary in try await engine.queues() where queues.contains(summary.id) {
            guard !summary.queue.isPaused, let holder = summary.heldBy,
                try await Self.hasFailed(holder, in: engine)
            else { continue }
            holders[summary.id] = holder
        }
    }

    /// Whether a transfer has failed. `ferry list` and `ferry doctor` report one that cannot be read.
    private static func hasFailed(
        _ id: TransferID,
        in engine: some TransferAccess
    ) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await engine.snapshot(of: id).state.name == .failed
        } catch {
            guard error.damage != nil else { throw error }
            return false
        }
    }

    /// Nothing is stopped.
    init() {}

    /// A line for each stopped queue, with the command to type.
    var lines: [String] {
        paused.sorted().map { name in
            let safe = TerminalText.safe(name)
            return "Queue \(safe) is paused; `ferry queue resume \(safe)` lets its transfers start."
        }
            + holders.sorted { $0.key < $1.key }.map { name, holder in
                "Queue \(TerminalText.safe(name)) waits behind transfer \(holder), which failed; "
                    + Self.advice(on: holder)
            }
    }

    /// How to release a strict queue that a failed transfer holds.
    static func advice(on holder: TransferID) -> String {
        "`ferry retry \(holder)` or `ferry remove \(holder)` lets the others start."
    }
}
