import FerryCore
import GRDB

/// Identifies a line: transfers with the same queue, host, holder (or none) and permission to run in the background.
struct HeadKey: Hashable {
    /// The queue.
    var queue: String
    /// The owner's number; 0 when no one holds it.
    var owner: Int64
    /// The host.
    var host: String
    /// Whether its transfers run in the background as well.
    var runsInBackground: Bool

    /// Creates a key.
    init(queue: String, owner: Int64?, host: String, runsInBackground: Bool) {
        self.queue = queue
        self.owner = owner ?? 0
        self.host = host
        self.runsInBackground = runsInBackground
    }

    /// The columns of a transfer that ``init(_:)`` reads.
    static let columns = "queue, owner, host, runs_in_background"

    /// Reads ``columns`` from a row.
    init(_ row: Row) throws {
        self.init(
            queue: try row.decode(String.self, atIndex: 0),
            owner: try row.decode(Int64?.self, atIndex: 1),
            host: try row.decode(String.self, atIndex: 2),
            runsInBackground: try row.decode(Bool.self, atIndex: 3)
        )
    }

    /// The line of a transfer; `nil` unless it is queued or waiting.
    init?(_ transfer: Transfer) {
        switch transfer.state {
        case .queued, .waiting: break
        case .active, .paused, .completed, .failed, .cancelled: return nil
        }
        self.init(
            queue: transfer.queue,
            owner: transfer.claim?.owner.rawValue,
            host: transfer.work.host,
            runsInBackground: transfer.runsInBackground
        )
    }
}
