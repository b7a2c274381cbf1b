import Ferry

extension Session {
    /// The transfers with their destinations as they really are, each directory looked at once.
    ///
    /// - Throws: ``StorageProblem`` when a directory is missing or cannot be used.
    func examined(_ transfers: [NewTransfer], by engine: TransferEngine) async throws -> [NewTransfer] {
        var known: [Destination: Destination] = [:]
        var examined: [NewTransfer] = []
        for var transfer in transfers {
            let wanted = transfer.specification.destination
            if known[wanted] == nil { known[wanted] = try await engine.examine(wanted) }
            transfer.specification.destination = known[wanted] ?? wanted
            examined.append(transfer)
        }
        return examined
    }
}
