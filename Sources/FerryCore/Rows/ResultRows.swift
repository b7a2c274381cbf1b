/// The ends of transfers in a store that no handler has handled yet, during one write. All stores share the code that
/// decides what a write does.
package protocol ResultRows {
    /// The end of a transfer.
    func result(of id: TransferID) throws -> UnhandledResult?
    /// Stores the end of a transfer, in place of an earlier one.
    func put(_ result: UnhandledResult) throws
    /// Forgets the end of a transfer.
    func deleteResult(of id: TransferID) throws
    /// Results of a type that are due, by when they became due and by their numbers.
    func dueResults(of type: TransferType, upTo limit: Int, at now: Instant) throws -> [UnhandledResult]
    /// Frees the results that an owner has in hand.
    func freeResults(of owner: OwnerID) throws
}

extension ResultRows {
    /// Records the end of a transfer with a type, or forgets it when the transfer is queued again.
    ///
    /// While a handler has an earlier end in hand, a later one is not handed out. Of several later ones only the latest is.
    func note(_ transfer: Transfer, formerly former: Transfer) throws {
        guard former.state.name != transfer.state.name, former.state.isFinal || transfer.state.isFinal,
            let type = transfer.type
        else { return }
        let earlier = try result(of: transfer.id)
        if transfer.state.isFinal {
            var ended = transfer.finished ?? transfer.updated
            // A transfer may end, be queued again and end again within a millisecond, or when the clock was set back.
            if let earlier { ended = max(ended, earlier.ended.advanced(by: .milliseconds(1))) }
            var result = UnhandledResult(of: transfer.id, type, ended: ended)
            result.owner = earlier?.owner
            try put(result)
        } else if earlier?.owner == nil {
            try deleteResult(of: transfer.id)
        }
    }

    /// Takes results of a type that are due in hand, the earliest first.
    ///
    /// - Parameter transfer: reads a transfer; returns `nil` for a damaged one, which may be mended.
    func take(
        _ type: TransferType,
        upTo limit: Int,
        for owner: OwnerID,
        at now: Instant,
        _ transfer: (TransferID) throws -> Transfer?
    ) throws -> [ResultInHand] {
        try dueResults(of: type, upTo: limit, at: now).compactMap { result in
            var result = result
            guard let transfer = try transfer(result.transfer) else {
                result.due = now.advanced(by: UnhandledResult.farthest / 2)
                try put(result)
                return nil
            }
            guard transfer.state.isFinal else {
                // It was queued again while a handler had its end in hand.
                try deleteResult(of: transfer.id)
                return nil
            }
            result.owner = owner
            try put(result)
            return ResultInHand(transfer: transfer, result: result)
        }
    }

    /// Ends the handling of a result. If the transfer has ended again meanwhile, only frees that end. Has no effect if the
    /// result's owner has lost it.
    package func settle(_ result: UnhandledResult, as fate: UnhandledResult.Fate) throws {
        guard let owner = result.owner, var current = try self.result(of: result.transfer),
            current.owner == owner, current.ended >= result.ended
        else { return }
        current.owner = nil
        guard current.ended == result.ended else { return try put(current) }
        switch fate {
        case .handled: return try deleteResult(of: result.transfer)
        case .failed(let moment):
            current.failures += 1
            current.due = moment
        case .released: break
        }
        try put(current)
    }
}
