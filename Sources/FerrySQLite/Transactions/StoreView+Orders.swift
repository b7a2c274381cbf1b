import FerryCore
import GRDB

extension StoreView {
    /// What the attempt at a transfer has to obey; of the row only what that takes is read.
    func orders(for id: TransferID) throws -> AttemptOrders? {
        let statement = try db.cachedStatement(
            sql: "SELECT id, owner, token, wish, options, url FROM transfer WHERE id = ?"
        )
        let cursor = try Row.fetchCursor(statement, arguments: [id.rawValue])
        // A row is only there as long as its cursor.
        return try withExtendedLifetime(cursor) { try cursor.next().map { try orders($0, for: id) } }
    }

    private func orders(_ row: Row, for id: TransferID) throws -> AttemptOrders {
        let reader = ColumnReader(row: row, codec: codec)
        do {
            let owner = try reader.optionalInteger(1).map { OwnerID(rawValue: $0) }
            let token = try reader.integer(2)
            let options = try options(reader)
            return AttemptOrders(
                claim: owner.map { Claim(transfer: id, owner: $0, token: token) },
                wish: try reader.optionallyNamed(3, "wish", Wish.init(name:)),
                rateLimit: options.rateLimit,
                window: options.window,
                url: try reader.url(5)
            )
        } catch {
            throw StoreError.damagedTransfer(id, "\(error)")
        }
    }

    private func options(_ reader: ColumnReader) throws -> DownloadOptions {
        let text = try reader.optionalText(4)
        do {
            return try codec.decodeOptions(text)
        } catch {
            // The options may hold secrets (I7), so what is wrong with them is told without them.
            throw RowDamage("its options are not what they should be")
        }
    }
}
