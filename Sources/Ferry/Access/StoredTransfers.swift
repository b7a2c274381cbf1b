import FerryCore

/// The transfers of a selection, read from the store page by page.
struct StoredTransfers: AsyncSequence, Sendable {
    typealias Failure = StoreError

    fileprivate let store: any TransferStore
    fileprivate let selection: TransferFilter
    fileprivate let order: ListOrder

    init(_ selection: TransferFilter, in order: ListOrder, of store: any TransferStore) {
        self.store = store
        self.selection = selection
        self.order = order
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let store: any TransferStore
        private let selection: TransferFilter
        private var order: ListOrder
        private var page: ArraySlice<Transfer> = []
        private var isLastPage = false

        init(_ transfers: StoredTransfers) {
            store = transfers.store
            selection = transfers.selection
            order = transfers.order
        }

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StoreError) -> Transfer? {
            if page.isEmpty, !isLastPage {
                page = try await store.transfers(selection, in: order, limit: ClientSeams.pageLength)[...]
                isLastPage = page.count < ClientSeams.pageLength
                if let last = page.last { order = order.going(past: last.id) }
            }
            return page.popFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
