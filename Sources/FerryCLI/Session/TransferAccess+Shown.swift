import Ferry
import FerryFrontend

extension TransferAccess {
    /// Visits the transfers of some states, or all if `states` is `nil`, as ``OwnerDirectory/shown(_:at:)`` shows them.
    func forEachShown(
        _ states: [TransferState.Name]?,
        where narrow: (TransferFilter) -> TransferFilter = { $0 },
        in order: ListOrder = .oldestFirst(after: nil),
        owners: OwnerDirectory,
        _ body: (Transfer) async throws -> Bool
    ) async throws {
        // The transfers of a dead process are in another state than the store says.
        let asked = owners.hasDead ? states.map { $0 + [.active] } : states
        let now = SystemTime.now
        let filter = narrow(asked.map(TransferFilter.states) ?? .all)
        for try await transfer in transfers(filter, in: order) {
            let shown = owners.shown(transfer, at: now)
            guard states?.contains(shown.state.name) != false else { continue }
            guard try await body(shown) else { return }
        }
    }
}
