import Ferry

/// Adds many transfers in one commit. If the store refuses one of them, each half is added by itself, and so on, so that in the
/// end only the refused ones are left out.
///
/// The halves are twice as much work at most for one refusal. A search for the refused one by its URL would not find one
/// whose row is damaged.
enum SplitAddition {
    /// - Parameters:
    ///   - items: what is added, in this order.
    ///   - add: adds all of the items or, if it throws, none of them.
    ///   - isRefusal: whether the store refused one of the items. Any other error ends it all.
    ///   - tell: takes what was added, or the one item that was refused, in the order of the items.
    static func run<Item, Added>(
        _ items: ArraySlice<Item>,
        add: ([Item]) async throws -> Added,
        isRefusal: (StoreError) -> Bool,
        tell: (ArraySlice<Item>, Result<Added, StoreError>) async throws -> Void
    ) async throws {
        let added: Added
        do {
            added = try await add(Array(items))
        } catch let error as StoreError {
            guard isRefusal(error) else { throw error }
            guard items.count > 1 else { return try await tell(items, .failure(error)) }
            let middle = items.startIndex + items.count / 2
            try await run(items[..<middle], add: add, isRefusal: isRefusal, tell: tell)
            return try await run(items[middle...], add: add, isRefusal: isRefusal, tell: tell)
        }
        try await tell(items, .success(added))
    }
}

extension StoreError {
    /// Whether an existing transfer is why one of several new ones was refused. If they come after that transfer, each of them
    /// would be.
    func refusesOne(of transfers: [NewTransfer]) -> Bool {
        switch self {
        case .notPossible(let id, _, _), .damagedTransfer(let id, _), .newerTransfer(let id, _):
            !transfers.contains { $0.after.contains(id) }
        case .claimLost, .ownerRemoved, .noSuchTransfer, .noTransferNamed, .otherTransferNamed, .refusedQueue,
            .refusedNode, .refusedPool, .foreign, .newer, .unreleased, .corrupt, .unavailable, .writeFailed:
            false
        }
    }
}
