import Ferry

/// What is left when the queue was run to its end, because somebody wanted it to stand still.
struct QueueRest: Hashable, Sendable {
    /// The queues that are paused, or held by the first of a strict one, with what stands in them.
    let queues: [QueueSummary]
    /// How many transfers are paused themselves.
    let paused: Int

    init(_ queues: [QueueSummary], paused: Int) {
        self.queues = queues.filter { ($0.queue.isPaused || $0.heldBy != nil) && $0.waiting > 0 }
        self.paused = paused
    }

    /// Whether there is none.
    var isEmpty: Bool { queues.isEmpty && paused == 0 }

    /// A line for each queue and one for the transfers, with what to type.
    var lines: [String] {
        var lines = queues.map { summary in
            let name = TerminalText.safe(summary.id)
            if !summary.queue.isPaused, let holder = summary.heldBy {
                return
                    "\(summary.waiting) queued in \(name), which is strict, behind transfer \(holder); `ferry show \(holder)` tells why."
            }
            return
                "\(summary.waiting) queued in \(name), which is paused; `ferry queue resume \(name)` lets them start."
        }
        if paused > 0 { lines.append("\(paused) paused; `ferry resume` resumes what is unfinished.") }
        return lines
    }
}
