import Ferry

extension TransferEngine {
    /// Goes through transfers page by page, so that a long list takes no memory; stops when `body` says so.
    func forEachTransfer(
        _ filter: TransferFilter,
        after start: TransferID? = nil,
        _ body: (Transfer) async throws -> Bool
    ) async throws {
        var last = start
        while true {
            let page = try await transfers(filter, after: last, limit: 500)
            for transfer in page {
                guard try await body(transfer) else { return }
            }
            guard let end = page.last else { return }
            last = end.id
        }
    }
}
