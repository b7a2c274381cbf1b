import Ferry

/// The transfers to which a command applies.
struct TransferSelection: Hashable, Sendable {
    /// Their IDs.
    var ids: [TransferID] = []
    /// Selects every transfer that the command applies to.
    var all = false
    /// Selects every such transfer of this queue.
    var queue: QueueName?
    /// Selects every such transfer with this tag.
    var tag: TransferTag?

    /// Whether transfers are selected by what they are rather than by their IDs.
    var isWide: Bool { all || queue != nil || tag != nil }

    /// The IDs; in a wide selection, those of the transfers that match `filter` and `condition`.
    func resolve(
        in engine: some TransferAccess,
        _ filter: TransferFilter,
        where condition: (Transfer) -> Bool = { _ in true }
    ) async throws -> [TransferID] {
        guard isWide else { return ids }
        var found: [TransferID] = []
        for try await transfer in engine.transfers(filter.of(queue, tag)) where condition(transfer) {
            found.append(transfer.id)
        }
        return found
    }
}
