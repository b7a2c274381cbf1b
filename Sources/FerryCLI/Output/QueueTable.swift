import Ferry
import FerryFrontend

/// `ferry queue list` for people: one line per queue.
enum QueueTable {
    private static let headings = ["NAME", "RUNNING", "WAITING", "SLOTS", "HOST", "PRIORITY", "WHEN FULL"]

    /// The header and a line for each queue.
    static func lines(_ queues: [QueueSummary]) -> [String] {
        let rows = queues.map { summary in
            let queue = summary.queue
            return [
                queue.name, "\(summary.running)", "\(summary.waiting)", bound(queue.slots),
                bound(queue.perHost), "\(queue.priority)", queue.overflow.words,
            ]
        }
        let width = ([headings] + rows).map { DisplayWidth.of($0[0]) }.max() ?? 0
        return ([headings] + rows).enumerated().map { index, cells in
            var line = TerminalText.padded(TerminalText.safe(cells[0]), to: width)
            for cell in cells[1...5] { line += "  " + TerminalText.rightAligned(cell, to: 8) }
            line += "  " + cells[6]
            return line + (index == 0 ? "" : queues[index - 1].asides)
        }
    }

    private static func bound(_ number: Int) -> String { number == 0 ? "-" : "\(number)" }
}

extension TransferQueue.Overflow {
    /// What happens when a queue is full, in one to three words.
    var words: String {
        switch self {
        case .wait: "wait"
        case .cancelOldest: "cancel the oldest"
        case .cancelOldestAlsoWaiting: "cancel the oldest, also waiting"
        }
    }
}

extension QueueSummary {
    /// Properties that most queues do not have.
    fileprivate var asides: String {
        (queue.order == .fair ? "" : ", strict") + queue.asides
            + (heldBy.map { ", held by transfer \($0)" } ?? "")
    }
}

extension TransferQueue {
    /// Properties that most queues do not have.
    fileprivate var asides: String {
        (rateLimit == .off ? "" : ", at most \(rateLimit)") + (isPaused ? ", paused" : "")
    }

    /// The order, if it is strict.
    private var orderTerms: String {
        switch (order, onFailure) {
        case (.fair, _): ""
        case (.strict, .hold): "; strict order, a failed transfer holds those after it"
        case (.strict, .fail): "; strict order, a failed transfer fails those after it"
        }
    }

    /// The queue's settings, in words.
    var terms: String {
        let slots = slots == 0 ? "no limit of transfers at once" : "\(slots) at once"
        let hosts = perHost == 0 ? "" : ", \(perHost) to a host"
        let full =
            switch overflow {
            case .wait: ""
            case .cancelOldest: "; when full, the oldest is cancelled"
            case .cancelOldestAlsoWaiting:
                "; when full, the transfer added longest ago is cancelled, running or not"
            }
        let rank = priority == 0 ? "" : "; priority \(priority)"
        return slots + hosts + full + orderTerms + rank + asides
    }
}
