import FerryCore
import GRDB

extension StoreView {
    /// The traits of a server, unless the finding is too old.
    func traits(of server: Origin, at now: Instant) throws -> ServerTraits {
        let statement = try db.cachedStatement(
            sql: "SELECT traits FROM server WHERE origin = ? AND found > ?"
        )
        let oldest = now.advanced(by: .zero - ServerTraits.lifetime).milliseconds
        let cursor = try Row.fetchCursor(statement, arguments: [server.description, oldest])
        guard let row = try cursor.next() else { return ServerTraits() }
        return try ColumnReader<Int>(row: row, codec: codec).json(0, ServerTraits.self)
    }
}
