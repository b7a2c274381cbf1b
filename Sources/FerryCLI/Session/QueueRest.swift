import Ferry
import FerryFrontend

/// Transfers left after the queue was run to its end, because they or their queue are paused or held.
struct QueueRest: Hashable, Sendable {
    /// Queues that are paused, or held by the first transfer of a strict one, and have waiting transfers.
    let queues: [QueueSummary]
    /// Number of paused transfers.
    let paused: Int
    /// The paused transfers, if they are few.
    let named: [Transfer]

    /// Maximum paused transfers that are named.
    static let mostNamed = 5

    init(_ queues: [QueueSummary], paused: Int, named: [Transfer] = []) {
        self.queues = queues.filter { ($0.queue.isPaused || $0.heldBy != nil) && $0.waiting > 0 }
        self.paused = paused
        self.named = named
    }

    /// Finds them.
    init(_ engine: some TransferAccess) async throws(StoreError) {
        let paused = try await engine.counts()[.paused] ?? 0
        let isFew = (1...Self.mostNamed).contains(paused)
        self.init(
            try await engine.queues(),
            paused: paused,
            named: isFew ? try await engine.transfers(.state(.paused), limit: Self.mostNamed) : []
        )
    }

    /// Whether no transfers are left.
    var isEmpty: Bool { queues.isEmpty && paused == 0 }

    /// A line for each queue and one for the paused transfers, with the command to type.
    var lines: [String] {
        var lines = queues.map { summary in
            let name = TerminalText.safe(summary.id)
            if !summary.queue.isPaused, let holder = summary.heldBy {
                return
                    "\(summary.waiting) queued in \(name), which is strict, behind transfer \(holder); "
                    + "`ferry show \(holder)` shows the reason."
            }
            return
                "\(summary.waiting) queued in \(name), which is paused; `ferry queue resume \(name)` lets them start."
        }
        if paused > 0 { lines.append(pausedLine) }
        return lines
    }

    private var pausedLine: String {
        guard !named.isEmpty else {
            return
                "\(paused) paused; `ferry list --state paused` shows them, `ferry resume --all` resumes all unfinished transfers."
        }
        let names = named.map { "\($0.displayName) (transfer \($0.id))" }.joined(separator: ", ")
        let command = "ferry resume \(named.map { "\($0.id)" }.joined(separator: " "))"
        return "\(paused) paused: \(names). `\(command)` resumes \(named.count == 1 ? "it" : "them")."
    }
}
