/// A change to a queue; `nil` leaves a property as it is.
public struct QueueEdit: Hashable, Sendable {
    /// Another number of slots; 0 for no limit.
    public var slots: Int?
    /// Another way to deal with a full queue.
    public var overflow: TransferQueue.Overflow?
    /// Another order.
    public var order: TransferQueue.Order?
    /// Another effect of a failed transfer on those behind it; it applies to later failures only.
    public var onFailure: TransferQueue.OnFailure?
    /// Another number of running transfers for each host; 0 for no limit.
    public var perHost: Int?
    /// Whether it is paused.
    public var isPaused: Bool?
    /// Another rate limit.
    public var rateLimit: RateLimit?
    /// Another priority.
    public var priority: Int?

    /// An edit that changes nothing yet.
    public init() {}

    /// Creates the edit that gives a queue the settings of `queue`.
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
    /// Applies an edit.
    ///
    /// - Throws: ``Flaw`` when the result would make no sense; nothing is changed then.
    package mutating func apply(_ edit: QueueEdit) throws(Flaw) {
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
