import FerryCore
import GRDB

/// Which line a transfer stands in: those of one queue and one host that the same owner holds, or nobody.
struct HeadKey: Hashable {
    /// The queue.
    var queue: String
    /// The owner's number; 0 for nobody.
    var owner: Int64
    /// The host.
    var host: String

    /// Creates a key.
    init(queue: String, owner: Int64?, host: String) {
        self.queue = queue
        self.owner = owner ?? 0
        self.host = host
    }

    /// Reads queue, owner and host.
    init(_ row: Row) throws {
        self.init(
            queue: try row.decode(String.self, atIndex: 0),
            owner: try row.decode(Int64?.self, atIndex: 1),
            host: try row.decode(String.self, atIndex: 2)
        )
    }

    /// The line of a transfer; `nil` for one that stands in none, since it neither is queued nor waits.
    init?(_ transfer: Transfer) {
        switch transfer.state {
        case .queued, .waiting: break
        case .active, .paused, .completed, .failed, .cancelled: return nil
        }
        self.init(
            queue: transfer.queue,
            owner: transfer.claim?.owner.rawValue,
            host: transfer.work.host
        )
    }
}
