import Ferry

extension TransferFilter {
    /// Those of this selection that are in a queue and have a tag, where a command names them.
    func of(_ queue: QueueName?, _ tag: TransferTag?) -> TransferFilter {
        var filter = self
        if let queue { filter = filter.of(queue: queue.text) }
        if let tag { filter = filter.of(tag: tag) }
        return filter
    }
}
