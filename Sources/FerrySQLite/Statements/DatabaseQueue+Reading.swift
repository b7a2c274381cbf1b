import GRDB

extension DatabaseQueue {
    /// Calls `body` in a transaction that only reads, on the queue of the connection.
    ///
    /// GRDB's own `asyncRead` compiles two statements each time, which takes longer than many reads.
    func readInTransaction(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        asyncWriteWithoutTransaction { db in
            do {
                try db.cachedStatement(sql: "BEGIN DEFERRED TRANSACTION").execute()
            } catch {
                return body(.failure(error))
            }
            body(.success(db))
            db.endReading()
        }
    }
}

extension Database {
    fileprivate func endReading() {
        do {
            try cachedStatement(sql: "COMMIT TRANSACTION").execute()
        } catch {
            abandonTransaction()
        }
    }
}
