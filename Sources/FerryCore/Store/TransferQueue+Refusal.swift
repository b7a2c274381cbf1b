extension TransferQueue {
    /// Returns the queue with an edit applied.
    ///
    /// - Throws: ``StoreError/refusedQueue(_:)`` when the settings would make no sense.
    package func applying(_ edit: QueueEdit) throws(StoreError) -> TransferQueue {
        var queue = self
        do {
            try queue.apply(edit)
        } catch {
            throw .refusedQueue(error)
        }
        return queue
    }

    /// Why a queue is not removed: an unfinished transfer is in it.
    package static func inUse(_ name: String, by id: TransferID, _ state: TransferState.Name) -> StoreError {
        .notPossible(id, "Queue \(name) is in use: it has transfer \(id), which is \(state).")
    }

    /// Checks that a queue may have this name.
    ///
    /// - Throws: ``StoreError/refusedQueue(_:)``.
    package static func requireName(_ name: String) throws(StoreError) {
        if !isName(name) { throw .refusedQueue(.name(name)) }
    }
}
