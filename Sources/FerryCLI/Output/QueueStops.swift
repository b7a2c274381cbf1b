import Ferry
import FerryFrontend

/// Why transfers of some queues do not start until a person acts.
struct QueueStops: Hashable, Sendable {
    /// The paused queues.
    var paused: Set<String> = []
    /// The failed transfer that holds a strict queue, by the queue's name.
    var holders: [String: TransferID] = [:]
    /// Why each of these holders has failed, as far as that is known.
    var failures: [TransferID: TransferFailure.Code] = [:]

    /// Finds which of these queues are stopped, and why.
    init(of queues: Set<String>, in engine: some TransferAccess) async throws(StoreError) {
        guard !queues.isEmpty else { return }
        let changed = try await engine.changedQueues().filter { queues.contains($0.name) }
        paused = Set(changed.lazy.filter(\.isPaused).map(\.name))
        // Usually no queue is strict; then no transfers have to be counted.
        guard changed.contains(where: { $0.order == .strict && !$0.isPaused }) else { return }
        for summary in try await engine.queues() where queues.contains(summary.id) {
            guard !summary.queue.isPaused, let holder = summary.heldBy,
                let code = try await Self.failure(of: holder, in: engine)
            else { continue }
            holders[summary.id] = holder
            failures[holder] = code
        }
    }

    /// Why a transfer has failed; `nil` if it has not. `ferry list` and `ferry doctor` report one that cannot be read.
    private static func failure(
        of id: TransferID,
        in engine: some TransferAccess
    ) async throws(StoreError) -> TransferFailure.Code? {
        do throws(StoreError) {
            guard case .failed(let failure) = try await engine.snapshot(of: id).state else { return nil }
            return failure.code
        } catch {
            guard error.damage != nil else { throw error }
            return nil
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
                    + Self.advice(on: holder, after: failures[holder])
            }
    }

    /// How to release a strict queue that a failed transfer holds.
    ///
    /// - Parameter failure: why it has failed; `nil` if that is not known.
    static func advice(on holder: TransferID, after failure: TransferFailure.Code?) -> String {
        let way =
            switch failure {
            // A retry would be refused.
            case .outcomeUnknown?: "`ferry resolve \(holder) --sent`, `ferry resolve \(holder) --not-sent`"
            case .responseLost?: "`ferry resolve \(holder) --sent`"
            default: "`ferry retry \(holder)`"
            }
        return "\(way) or `ferry remove \(holder)` lets the others start."
    }
}
