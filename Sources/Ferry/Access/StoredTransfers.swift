import FerryCore

/// The transfers of a selection in the order of their IDs, read from the store page by page.
struct StoredTransfers: AsyncSequence, Sendable {
    typealias Failure = StoreError

    fileprivate let store: any TransferStore
    fileprivate let selection: TransferFilter
    fileprivate let start: TransferID?

    init(_ selection: TransferFilter, after start: TransferID?, in store: any TransferStore) {
        self.store = store
        self.selection = selection
        self.start = start
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        private let store: any TransferStore
        private let selection: TransferFilter
        private var last: TransferID?
        private var page: ArraySlice<Transfer> = []
        private var isLastPage = false

        init(_ transfers: StoredTransfers) {
            store = transfers.store
            selection = transfers.selection
            last = transfers.start
        }

        mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(StoreError) -> Transfer? {
            if page.isEmpty, !isLastPage {
                page = try await store.transfers(selection, after: last, limit: ClientSeams.pageLength)[...]
                isLastPage = page.count < ClientSeams.pageLength
                last = page.last?.id
            }
            return page.popFirst()
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
