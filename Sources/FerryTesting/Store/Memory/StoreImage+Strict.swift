import FerryCore

/// The lines of strict queues.
extension StoreImage {
    /// For each strict queue those that alone may run.
    var fronts: [String: [TransferID]] {
        queues.filter { $0.value.order == .strict }.mapValues { queue in
            let transfers = rows.values.filter { $0.transfer.queue == queue.name }
            return queue.front(of: transfers.map { ($0.candidate.place, $0.transfer.state) })
        }
    }

    /// For each strict queue that is held the transfer that stands first.
    var holders: [String: TransferID] {
        fronts.compactMapValues { front in
            let moves = front.contains { id in
                rows[id]?.transfer.state.movesItsLine ?? false
            }
            return moves ? nil : front.first
        }
    }
}
