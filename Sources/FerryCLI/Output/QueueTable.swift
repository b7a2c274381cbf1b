import Ferry
import FerryFrontend

/// `ferry queue list` for people: one line per queue.
enum QueueTable {
    private static let headings = ["NAME", "RUNNING", "WAITING", "SLOTS", "HOST", "PRIORITY", "WHEN FULL"]

    /// The header and a line for each queue.
    ///
    /// - Parameter columns: those of a terminal that the lines fit; `nil` for any length.
    static func lines(_ queues: [QueueSummary], columns: Int? = nil) -> [String] {
        let lines = lines(queues, numbers: 8)
        guard let columns, lines.contains(where: { DisplayWidth.of($0) >= columns }) else { return lines }
        return self.lines(queues, numbers: 0).map {
            TerminalText.wrapped($0, to: columns - 1, indent: 4, keeping: headings)
        }
    }

    /// - Parameter least: the least width of a column of numbers.
    private static func lines(_ queues: [QueueSummary], numbers least: Int) -> [String] {
        let rows = queues.map { summary in
            let queue = summary.queue
            return [
                queue.name, "\(summary.running)", "\(summary.waiting)", bound(queue.slots),
                bound(queue.perHost), "\(queue.priority)", queue.overflow.words,
            ]
        }
        let table = [headings] + rows
        let width = table.map { DisplayWidth.of($0[0]) }.max() ?? 0
        let widths = (1...5).map { column in table.reduce(least) { max($0, $1[column].count) } }
        return table.enumerated().map { index, cells in
            var line = TerminalText.padded(TerminalText.safe(cells[0]), to: width)
            for (cell, width) in zip(cells[1...5], widths) {
                line += "  " + TerminalText.rightAligned(cell, to: width)
            }
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
