package import FerryCore

extension MemoryTransferStore {
    /// Forgets the oldest final transfers beyond the retention.
    package func prune(
        _ retention: Retention,
        upTo limit: Int,
        at now: Instant
    ) async throws(StoreError) -> [TransferID] {
        try write(.process) { rows in
            rows.image.forgetTurns(at: now)
            let transfers = rows.image.rows.values.map(\.transfer)
            let excess = retention.excess(of: transfers.count { $0.isOverForGood })
            let horizon = retention.horizon(at: now)
            let oldest = transfers.filter(\.isForgettable).sorted { $0.isForgottenBefore($1) }
            let found = oldest.prefix(max(0, limit)).enumerated().prefix { position, transfer in
                position < excess || horizon.map { transfer.ended <= $0 } == true
            }
            for (_, transfer) in found { rows.image.forget(transfer.id) }
            return found.map(\.element.id)
        }
    }
}

extension Transfer {
    fileprivate var isOverForGood: Bool { state == .completed || state == .cancelled }

    /// Whether it is not needed any more. A cancelled transfer with a residue is still needed: it shows to which
    /// transfer the residue belongs.
    fileprivate var isForgettable: Bool { claim == nil && isOverForGood && remover == .noOne }

    fileprivate var ended: Instant { finished ?? Instant(milliseconds: .max) }

    fileprivate func isForgottenBefore(_ other: Transfer) -> Bool {
        ended == other.ended ? id < other.id : ended < other.ended
    }
}
