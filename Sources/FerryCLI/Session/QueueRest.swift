import Ferry
import FerryFrontend

/// Transfers left after the queue was run to its end, because they or their queue are paused or held.
struct QueueRest: Hashable, Sendable {
    /// Queues that are paused, or held by the first transfer of a strict one, and have waiting transfers.
    let queues: [QueueSummary]
    /// Number of paused transfers.
    let paused: Int

    init(_ queues: [QueueSummary], paused: Int) {
        self.queues = queues.filter { ($0.queue.isPaused || $0.heldBy != nil) && $0.waiting > 0 }
        self.paused = paused
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
        if paused > 0 { lines.append("\(paused) paused; `ferry resume` resumes unfinished transfers.") }
        return lines
    }
}
