import GRDB

extension Database {
    /// Rolls back the transaction, if there is one.
    ///
    /// SQLite rolls back by itself when it cannot do so on request. A transaction left open would make every later BEGIN fail,
    /// loudly.
    func abandonTransaction() {
        do {
            try rollback()
        } catch {
            assert(!isInsideTransaction)
        }
    }
}
