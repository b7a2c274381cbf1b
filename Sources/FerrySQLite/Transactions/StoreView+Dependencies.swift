import FerryCore
import GRDB

extension StoreView {
    /// The transfers that still wait for this one to complete, in order of their numbers.
    func dependents(of id: TransferID) throws -> [TransferID] {
        let statement = try db.cachedStatement(sql: StoreTransaction.dependents)
        return try Int64.fetchAll(statement, arguments: [id.rawValue]).map(TransferID.init(rawValue:))
    }
}
