/// A change to a queue; `nil` leaves a property as it is.
public struct QueueEdit: Hashable, Sendable {
    /// Another number of slots; 0 for no bound.
    public var slots: Int?
    /// Another way to deal with a full queue.
    public var overflow: TransferQueue.Overflow?
    /// Another number of running transfers for each host; 0 for no bound.
    public var perHost: Int?
    /// Whether it is paused.
    public var isPaused: Bool?
    /// Another limit.
    public var rateLimit: RateLimit?
    /// Another priority.
    public var priority: Int?

    /// An edit that changes nothing yet.
    public init() {}

    /// The edit that makes a queue of that name like `queue`.
    public init(making queue: TransferQueue) {
        slots = queue.slots
        overflow = queue.overflow
        perHost = queue.perHost
        isPaused = queue.isPaused
        rateLimit = queue.rateLimit
        priority = queue.priority
    }
}

extension TransferQueue {
    /// Changes what an edit names.
    public mutating func apply(_ edit: QueueEdit) {
        if let slots = edit.slots { self.slots = slots }
        if let overflow = edit.overflow { self.overflow = overflow }
        if let perHost = edit.perHost { self.perHost = perHost }
        if let isPaused = edit.isPaused { self.isPaused = isPaused }
        if let rateLimit = edit.rateLimit { self.rateLimit = rateLimit }
        if let priority = edit.priority { self.priority = priority }
    }
}
