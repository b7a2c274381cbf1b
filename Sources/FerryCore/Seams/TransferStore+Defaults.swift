extension TransferStore {
    /// A store can be written, unless its type says otherwise.
    package var isReadOnly: Bool { false }

    /// Yields an element at most 250 ms after anything in the store may have changed.
    package func changes() -> AsyncStream<Void> { changes(besides: nil) }

    /// Removes an owner that has died.
    package func remove(_ owner: OwnerID, at now: Instant) async throws(StoreError) -> [TransferID] {
        try await remove(owner, after: .died, at: now)
    }

    /// Returns nothing, for a store that cannot be damaged.
    package func damagedTransfers() async -> [DamagedTransfer] { [] }

    /// Returns a page of transfers in the order of their numbers.
    package func transfers(
        _ filter: TransferFilter,
        after last: TransferID?,
        limit: Int
    ) async throws(StoreError) -> [Transfer] {
        try await transfers(filter, in: .oldestFirst(after: last), limit: limit)
    }

    /// Adds transfers; completed ones do not count.
    package func add(
        _ transfers: [NewTransfer],
        holder: OwnerID?,
        at now: Instant
    ) async throws(StoreError) -> [Addition] {
        try await add(transfers, besides: nil, holder: holder, at: now)
    }

    /// Returns the earliest moment at which a waiting transfer becomes claimable by `owner`; `nil` when none will by
    /// itself.
    package func nextWakeTime(for owner: OwnerID) async throws(StoreError) -> Instant? {
        try await nextWakeTime(for: owner, after: Instant(milliseconds: .min))
    }

    /// Claims transfers that can run, on any host.
    package func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await claim(upTo: limit, only: only, heldBack: .nothing, for: owner, at: now)
    }

    /// Claims transfers that can run, beside no fetches. Their attempts record what they send.
    package func claim(
        upTo limit: Int,
        only: TransferIDSet?,
        heldBack: HeldBack,
        for owner: OwnerID,
        at now: Instant
    ) async throws(StoreError) -> [Transfer] {
        try await claim(
            upTo: limit,
            only: only,
            heldBack: heldBack,
            beside: [],
            recordsSending: false,
            for: owner,
            at: now
        )
    }

    /// Requests a pause or an end. A part file is left to the owner that holds the transfer.
    package func ask(_ wish: Wish, of id: TransferID, at now: Instant) async throws(StoreError) -> Transfer {
        try await ask(wish, of: id, holder: nil, at: now)
    }
}
