import FerryCore

/// Reads stored entries of pools in the order in which they were added, a page at a time. Entries may be changed and forgotten
/// meanwhile.
struct EntryPages: Sendable {
    private let filter: EntryFilter
    private let store: any TransferStore
    /// The number of the latest entry that was read; `nil` after the last page.
    private var last: Int64? = 0

    /// Begins at the first entry.
    init(_ filter: EntryFilter, in store: any TransferStore) { (self.filter, self.store) = (filter, store) }

    /// Reads the next page; `nil` after the last one. No page is empty.
    mutating func next() async throws(StoreError) -> [StoredEntry]? {
        guard let start = last else { return nil }
        let page = try await store.entries(filter, after: start, limit: ClientSeams.pageLength)
        last = page.count == ClientSeams.pageLength ? page.last?.number : nil
        return page.isEmpty ? nil : page
    }
}
