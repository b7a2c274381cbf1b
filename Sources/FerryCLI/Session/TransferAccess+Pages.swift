import Ferry
import FerryFrontend

extension TransferAccess {
    /// Visits the transfers of some states, or all if `states` is `nil`, as ``OwnerDirectory/shown(_:at:)`` shows them.
    func forEachShown(
        _ states: [TransferState.Name]?,
        queue: String? = nil,
        tag: TransferTag? = nil,
        after start: TransferID? = nil,
        owners: OwnerDirectory,
        _ body: (Transfer) async throws -> Bool
    ) async throws {
        // The transfers of a dead process are in another state than the store says.
        let asked = owners.hasDead ? states.map { $0 + [.active] } : states
        let now = SystemTime.now
        try await forEachTransfer(.among(asked, queue: queue, tag: tag), after: start) { transfer in
            let shown = owners.shown(transfer, at: now)
            return states?.contains(shown.state.name) == false ? true : try await body(shown)
        }
    }

    /// Visits transfers page by page, so that a long list takes little memory; stops when `body` returns `false`.
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
