import Ferry

extension Session {
    /// Replaces the destinations of transfers with what they really are. Each destination is examined once.
    ///
    /// - Throws: ``StorageProblem`` when a directory is missing or cannot be used.
    func examine(_ transfers: inout [PlannedDownload], by engine: TransferEngine) async throws {
        var known: [Destination: Destination] = [:]
        for index in transfers.indices {
            let wanted = transfers[index].specification.destination
            if known[wanted] == nil { known[wanted] = try await engine.examine(wanted) }
            guard let real = known[wanted], real != wanted else { continue }
            transfers[index].specification.destination = real
        }
    }
}
