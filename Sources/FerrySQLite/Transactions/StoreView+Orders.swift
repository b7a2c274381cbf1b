import FerryCore
import GRDB

extension StoreView {
    /// The orders for an attempt at a transfer. Reads only the columns that this needs.
    func orders(for id: TransferID) throws -> AttemptOrders? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT work.id, owner, ifnull(token, 0), wish, options, url, kind
                FROM work LEFT JOIN transfer ON transfer.id = work.id WHERE work.id = ?
                """
        )
        let cursor = try Row.fetchCursor(statement, arguments: [id.rawValue])
        // A row is valid only as long as its cursor.
        return try withExtendedLifetime(cursor) { try cursor.next().map { try orders($0, for: id) } }
    }

    private func orders(_ row: Row, for id: TransferID) throws -> AttemptOrders {
        let reader = ColumnReader<Int>(row: row, codec: codec)
        do {
            let owner = try reader.optionalInteger(1).map { OwnerID(rawValue: $0) }
            let token = try reader.integer(2)
            let kind = try TransferRow.kind(reader, 6)
            let terms = try kind.stored.terms(reader, 4)
            return AttemptOrders(
                claim: owner.map { Claim(transfer: id, owner: $0, token: token) },
                wish: try reader.optionallyNamed(3, "wish", Wish.init(name:)),
                rateLimit: terms.rateLimit,
                window: terms.window,
                url: try reader.url(5)
            )
        } catch {
            throw StoreError(unreadable: id, error)
        }
    }
}
