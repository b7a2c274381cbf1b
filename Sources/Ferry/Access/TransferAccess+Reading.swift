public import FerryCore

/// Reading: transfers as the store holds them, by number, by name, by URL or by saved file.
extension TransferAccess {
    /// A handle to a transfer, by ID.
    public func transfer(_ id: TransferID) -> TransferHandle {
        TransferHandle(id: id, client: client)
    }

    /// The transfer as the store holds it.
    public func snapshot(of id: TransferID) async throws(StoreError) -> Transfer {
        guard let transfer = try await client.store.transfer(id) else { throw .noSuchTransfer(id) }
        return transfer
    }

    /// The transfers of a selection in the order of their IDs. They are read as the loop proceeds, a page at a time, so
    /// that a long list takes little memory.
    ///
    /// - Parameter last: begins after this ID; `nil` begins with the first transfer.
    public func transfers(
        _ selection: TransferFilter = .all,
        after last: TransferID? = nil
    ) -> some AsyncSequence<Transfer, StoreError> & Sendable {
        StoredTransfers(selection, in: .oldestFirst(after: last), of: client.store)
    }

    /// The transfers of a selection from the newest to the oldest. They are read as the loop proceeds, a page at a time, so
    /// that the latest ones of a long history take little time.
    ///
    /// - Parameter first: begins before this ID; `nil` begins with the newest transfer.
    public func transfers(
        _ selection: TransferFilter = .all,
        before first: TransferID?
    ) -> some AsyncSequence<Transfer, StoreError> & Sendable {
        StoredTransfers(selection, in: .newestFirst(before: first), of: client.store)
    }

    /// The transfers of a selection in this order.
    package func transfers(
        _ selection: TransferFilter,
        in order: ListOrder
    ) -> some AsyncSequence<Transfer, StoreError> & Sendable {
        StoredTransfers(selection, in: order, of: client.store)
    }

    /// One page of a selection, in the order of the IDs. The next page begins after the last ID of this one.
    package func transfers(
        _ selection: TransferFilter = .all,
        after last: TransferID? = nil,
        limit: Int
    ) async throws(StoreError) -> [Transfer] {
        try await client.store.transfers(selection, after: last, limit: limit)
    }

    /// Transfers with a damaged row in the store, found by any read since the engine was opened. All others run as if
    /// these did not exist; ``remove(_:)`` removes one.
    public func damagedTransfers() async -> [DamagedTransfer] {
        await client.store.damagedTransfers()
    }

    /// The failed attempts of a transfer, oldest first.
    public func attempts(of id: TransferID) async throws(StoreError) -> [Attempt] {
        try await client.store.attempts(of: id)
    }

    /// The number of transfers in each state. States without transfers are left out.
    public func counts() async throws(StoreError) -> [TransferState.Name: Int] {
        try await client.store.counts()
    }

    /// The processes that run transfers of this store.
    package func owners() async throws(StoreError) -> [Owner] {
        try await client.store.owners()
    }

    /// How an owner ended, if its process is dead.
    package func end(of owner: Owner) -> OwnerEnd { client.seams.host.end(of: owner.process) }

    /// Whether an owner's process is alive.
    package func life(of owner: Owner) -> Life {
        client.seams.host.life(of: owner.process)
    }

    /// Whether an owner is this process.
    package func isThisProcess(_ owner: Owner) -> Bool {
        owner.process.isSameProcess(as: client.seams.host.currentProcess)
    }

    /// Whether the store can only be read. It is then seen as it was when it was opened.
    package var isReadOnly: Bool { client.store.isReadOnly }

    // MARK: Finding

    /// The latest transfer of this URL and destination, in any state; `nil` if there is no such transfer.
    ///
    /// URLs that differ only in their signature are the same; see ``DownloadSpecification/identity``.
    ///
    /// - Parameters:
    ///   - url: the URL given to ``download(from:to:options:queue:priority:after:tag:payload:uuid:)``.
    ///   - destination: the destination given there.
    ///   - ignored: the parameters of the URL that ``DownloadOptions/ignoredQuery`` names.
    public func find(
        url: HTTPURL,
        to destination: Destination,
        ignoring ignored: [String] = []
    ) async throws(StoreError) -> Transfer? {
        var options = DownloadOptions()
        options.ignoredQuery = ignored
        let wanted = DownloadSpecification(url: url, destination: destination, options: options)
        return try await client.store.transfers(like: [.download(DownloadWork(wanted))]).first?.last
    }

    /// The latest transfer with this tag, in any state; `nil` if no transfer has it.
    ///
    /// ``transfers(_:after:)`` with ``TransferFilter/of(tag:)`` lists all of them.
    public func find(tag: TransferTag) async throws(StoreError) -> Transfer? {
        try await client.store.latest(tagged: tag)
    }

    /// The transfer with this UUID, in any state; `nil` if no transfer has it.
    public func find(uuid: TransferUUID) async throws(StoreError) -> Transfer? {
        try await client.store.transfer(uuid: uuid)
    }

    /// The latest completed transfer whose file was checked against this digest; `nil` if there is no such transfer.
    public func find(digest: Checksum) async throws(StoreError) -> Transfer? {
        try await client.store.completed(saving: [.digest(digest)]).first ?? nil
    }

    /// The latest completed transfer that saved its file at each path.
    package func completed(at paths: [String]) async throws(StoreError) -> [Transfer?] {
        var found: [Transfer?] = []
        for page in paths.pages { found += try await client.store.completed(saving: page.map { .path($0) }) }
        return found
    }

    /// The transfers with the identity of one of these, each once, if they still matter.
    package func transfers(
        like specifications: [DownloadSpecification]
    ) async throws(StoreError) -> [Transfer] {
        var found: [TransferID: Transfer] = [:]
        for page in specifications.pages {
            let works = page.map { Work.download(DownloadWork($0)) }
            for twin in try await client.store.transfers(like: works).joined() { found[twin.id] = twin }
        }
        return found.values.sorted { $0.id < $1.id }
    }
}
