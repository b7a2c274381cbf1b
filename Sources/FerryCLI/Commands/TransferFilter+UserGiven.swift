import Ferry

extension TransferFilter {
    /// Narrows this selection to a queue and a tag, if the command names them.
    func of(_ queue: QueueName?, _ tag: TransferTag?) -> TransferFilter {
        var filter = self
        if let queue { filter = filter.of(queue: queue.text) }
        if let tag { filter = filter.of(tag: tag) }
        return filter
    }
}
