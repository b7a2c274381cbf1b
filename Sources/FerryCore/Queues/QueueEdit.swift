/// A change to a queue; `nil` leaves a property as it is.
public struct QueueEdit: Hashable, Sendable {
    /// Another number of slots; 0 for no bound.
    public var slots: Int?
    /// Another way to deal with a full queue.
    public var overflow: TransferQueue.Overflow?
    /// Another order.
    public var order: TransferQueue.Order?
    /// Another meaning of a failed transfer for those behind it; it holds for what fails from then on.
    public var onFailure: TransferQueue.OnFailure?
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
        order = queue.order
        onFailure = queue.onFailure
        perHost = queue.perHost
        isPaused = queue.isPaused
        rateLimit = queue.rateLimit
        priority = queue.priority
    }
}

extension TransferQueue {
    /// Changes what an edit names.
    ///
    /// - Throws: when it would mean nothing then; nothing is changed.
    public mutating func apply(_ edit: QueueEdit) throws(Flaw) {
        var changed = self
        if let slots = edit.slots { changed.slots = slots }
        if let overflow = edit.overflow { changed.overflow = overflow }
        if let order = edit.order { changed.order = order }
        if let onFailure = edit.onFailure { changed.onFailure = onFailure }
        if let perHost = edit.perHost { changed.perHost = perHost }
        if let isPaused = edit.isPaused { changed.isPaused = isPaused }
        if let rateLimit = edit.rateLimit { changed.rateLimit = rateLimit }
        if let priority = edit.priority { changed.priority = priority }
        try changed.check()
        self = changed
    }
}
