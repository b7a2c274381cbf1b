import FerryCore

/// The lines of strict queues.
extension StoreImage {
    /// The transfers of each strict queue that may run now.
    var fronts: [String: [TransferID]] {
        queues.filter { $0.value.order == .strict }.mapValues { queue in
            let transfers = rows.values.filter { $0.transfer.queue == queue.name }
            return queue.front(of: transfers.map { ($0.candidate.place, $0.transfer.state) })
        }
    }

    /// The first transfer of each strict queue that is held.
    var holders: [String: TransferID] {
        fronts.compactMapValues { front in
            let moves = front.contains { id in
                rows[id]?.transfer.state.movesItsLine ?? false
            }
            return moves ? nil : front.first
        }
    }
}
