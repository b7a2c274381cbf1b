import Ferry
import FerryFrontend

/// Transfers that a run of the queue has left: after its end, because they wait, or because they or their queue are paused or
/// held; after a stop, also those whose turn had not come.
struct QueueRest: Hashable, Sendable {
    /// Queues that are paused, or held by the first transfer of a strict one, and have waiting transfers.
    let queues: [QueueSummary]
    /// Number of paused transfers.
    let paused: Int
    /// The paused transfers, if they are few.
    let named: [Transfer]
    /// Number of transfers that wait for something.
    let waiting: Int
    /// Number of queued transfers. After the end of a run, a queue in ``queues`` or another process holds them.
    let queued: Int
    /// Number of failed transfers. Downloads to standard output, a device or a FIFO are left out, as in a list, because no command
    /// retries them. They count if there are too many failures to read all of them.
    let failed: Int
    /// The failed transfers that a retry runs, if there are no others and they are few.
    let retriable: [TransferID]

    /// Maximum transfers that are named.
    static let mostNamed = 5
    /// Maximum failed transfers that are read.
    private static let mostRead = 100

    init(
        _ queues: [QueueSummary],
        paused: Int,
        named: [Transfer] = [],
        waiting: Int = 0,
        queued: Int = 0,
        failed: Int = 0,
        someFailed: [Transfer] = []
    ) {
        self.queues = queues.filter { ($0.queue.isPaused || $0.heldBy != nil) && $0.waiting > 0 }
        (self.paused, self.named, self.waiting, self.queued) = (paused, named, waiting, queued)
        let streams = someFailed.count(where: \.isFailedStream)
        self.failed = failed - streams
        let retriable = someFailed.filter { $0.isRetriable && !$0.isFailedStream }.map(\.id)
        self.retriable = retriable.count == self.failed && self.failed <= Self.mostNamed ? retriable : []
    }

    /// Counts what is left in the store.
    init(_ engine: some TransferAccess) async throws(StoreError) {
        let counts = try await engine.counts()
        let paused = counts[.paused] ?? 0
        let isFew = (1...Self.mostNamed).contains(paused)
        let failed = counts[.failed] ?? 0
        let areRead = (1...Self.mostRead).contains(failed)
        self.init(
            try await engine.queues(),
            paused: paused,
            named: isFew ? try await engine.transfers(.state(.paused), limit: Self.mostNamed) : [],
            waiting: counts[.waiting] ?? 0,
            queued: counts[.queued] ?? 0,
            failed: failed,
            someFailed: areRead ? try await engine.transfers(.state(.failed), limit: Self.mostRead) : []
        )
    }

    /// Whether a run to its end has left no transfers.
    var isEmpty: Bool { queues.isEmpty && paused == 0 && waiting == 0 }

    /// The line of a run that has found and left nothing to do. Failed transfers are not its business, but it names them.
    var nothingLine: String {
        guard failed > 0 else { return "Nothing to do." }
        let command =
            retriable.isEmpty
            ? "`ferry list --state failed` shows"
            : "`ferry retry \(retriable.map { "\($0)" }.joined(separator: " "))` retries"
        return "Nothing to do. \(failed) failed; \(command) \(failed == 1 ? "it" : "them")."
    }

    /// Number of transfers that a stop has left to another run.
    var unfinished: Int { queued + waiting + paused }

    /// The line about them after a stop; `nil` if there are no others than those that were named.
    ///
    /// - Parameter named: the number of transfers that other lines are about.
    func stoppedLine(besides named: Int) -> String? {
        let others = unfinished - named
        guard others > 0 else { return nil }
        guard named == 0 else {
            let step =
                paused == 0
                ? "`ferry run` resumes them" : "`ferry resume --all` resumes them, also those paused"
            return "Other unfinished transfers: \(others). `ferry list` shows them, \(step)."
        }
        guard paused < others else { return pausedLine }
        return "Stopped. Unfinished transfers: \(others). Resume with `ferry run`."
    }

    /// A line for each queue, one for the paused transfers and one for those that wait, with the command to type.
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
        return lines + Self.waitingLines(waiting)
    }

    /// The line about transfers that wait for something; no line if the count is 0.
    static func waitingLines(_ count: Int) -> [String] {
        guard count > 0 else { return [] }
        let object = count == 1 ? "it" : "them"
        return ["\(count) waiting; `ferry list` shows \(object), `ferry show ID` the reason."]
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

extension Transfer {
    /// Whether it has failed and a retry is not refused.
    fileprivate var isRetriable: Bool {
        guard case .failed(let failure) = state else { return false }
        return !failure.code.needsResolution
    }
}
