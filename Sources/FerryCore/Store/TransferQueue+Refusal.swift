extension TransferQueue {
    /// It with an edit applied, as a store sees it.
    ///
    /// - Throws: ``StoreError/refusedQueue(_:)`` when it would mean nothing.
    public func applying(_ edit: QueueEdit) throws(StoreError) -> TransferQueue {
        var queue = self
        do {
            try queue.apply(edit)
        } catch {
            throw .refusedQueue(error)
        }
        return queue
    }

    /// Why a queue is not removed: a transfer stands in it that is not over.
    public static func inUse(_ name: String, by id: TransferID, _ state: String) -> StoreError {
        .notPossible(id, "Queue \(name) is in use: it has transfer \(id), which is \(state).")
    }

    /// Checks that a name is one that a queue may have.
    ///
    /// - Throws: ``StoreError/refusedQueue(_:)``.
    public static func requireName(_ name: String) throws(StoreError) {
        if !isName(name) { throw .refusedQueue(.name(name)) }
    }
}
