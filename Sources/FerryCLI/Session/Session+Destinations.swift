import Ferry

extension Session {
    /// Gives transfers their destinations as they really are, each directory looked at once.
    ///
    /// - Throws: ``StorageProblem`` when a directory is missing or cannot be used.
    func examine(_ transfers: inout [PlannedDownload], by engine: some TransferAccess) async throws {
        var known: [Destination: Destination] = [:]
        for index in transfers.indices {
            let wanted = transfers[index].specification.destination
            if known[wanted] == nil { known[wanted] = try await engine.examine(wanted) }
            guard let real = known[wanted], real != wanted else { continue }
            transfers[index].specification.destination = real
        }
    }
}
