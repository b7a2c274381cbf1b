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
            let terms = try terms(reader)
            return AttemptOrders(
                claim: owner.map { Claim(transfer: id, owner: $0, token: token) },
                wish: try reader.optionallyNamed(3, "wish", Wish.init(name:)),
                rateLimit: terms.rateLimit,
                window: terms.window,
                url: try reader.url(5)
            )
        } catch {
            throw StoreError.damagedTransfer(id, "\(error)")
        }
    }

    private func terms(_ reader: ColumnReader<Int>) throws -> WorkTerms {
        let kind = try reader.named(6, "kind", TransferKind.init(rawValue:))
        let text = try reader.optionalText(4)
        do {
            switch kind {
            case .download: return try codec.decodeOptions(text).terms
            case .request: return try reader.json(4, StoredTerms.self).terms ?? WorkTerms()
            }
        } catch {
            // The options may hold secrets (I7), so messages about them leave them out.
            throw RowDamage("its options cannot be decoded")
        }
    }

    /// The part of a request that is read; the whole may be large.
    private struct StoredTerms: Decodable {
        let terms: WorkTerms?
    }
}
