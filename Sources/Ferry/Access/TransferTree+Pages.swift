package import FerryCore

/// Nodes by the page, for a caller that follows the transfers which it adds.
extension TransferTree {
    /// The nodes with some ids, with their payloads and marks, in the order given; `nil` for those that the tree does not
    /// have.
    package func nodes(_ ids: [NodeID]) async throws(StoreError) -> [StoredNode?] {
        var nodes: [StoredNode?] = []
        for page in ids.pages { nodes += try await client.store.nodes(page, in: name) }
        return nodes
    }

    /// Continues a walk, which the caller keeps.
    package func page(of walk: NodeWalk) async throws(StoreError) -> (nodes: [WalkedNode], walk: NodeWalk) {
        try await client.store.page(of: walk, in: name, upTo: Self.pageLength)
    }

    /// Adds the transfers of nodes that are marked, one for each, as ``downloadNeeded(under:_:)`` does.
    ///
    /// - Parameter holder: the owner that holds new transfers until it runs them; `nil` leaves them to any.
    /// - Returns: what became of each, in order.
    /// - Throws: ``StoreError`` and ``StorageProblem``.
    func add(
        _ downloads: [(node: NodeID, download: NodeDownload)],
        holder: OwnerID? = nil
    ) async throws -> [NeededOutcome] {
        var downloads = downloads
        var transfers = downloads.map { $0.download.transfer }
        await MountPoints(files: client.seams.files).note(in: &transfers, at: Array(transfers.indices))
        for (index, transfer) in transfers.enumerated() { downloads[index].download.transfer = transfer }
        let outcomes = try await client.store.add(downloads, in: name, holder: holder, at: client.now)
        try await client.ownership.displacedParts.removeExpected()
        client.link?.added()
        return outcomes
    }
}

extension TransferAccess {
    /// What has a final name; `nil` if nothing has it.
    ///
    /// - Throws: ``StorageProblem`` when its directory is missing or cannot be used.
    package func entry(at place: FilePlace) async throws(StorageProblem) -> FileSurvey.Entry? {
        try await client.seams.files.survey(place).final
    }
}
