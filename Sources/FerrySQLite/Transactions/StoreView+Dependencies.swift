import FerryCore
import GRDB

extension StoreView {
    /// The transfers that come after a transfer and for which it is not completed, in order.
    func dependents(of id: TransferID) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: StoreTransaction.dependents)
        return try Int64.fetchAll(statement, arguments: [id.rawValue]).map(TransferID.init(rawValue:))
    }
}
