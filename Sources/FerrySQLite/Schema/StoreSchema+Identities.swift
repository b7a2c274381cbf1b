import GRDB

/// What the eleventh migration changes: a digest takes the place of each identity, which has the URL and its secrets.
extension StoreSchema {
    static func digestIdentities(_ db: Database) throws {
        try db.execute(sql: "DROP INDEX transfer_identity")
        let update = try db.cachedStatement(sql: "UPDATE transfer SET identity = ? WHERE id = ?")
        for row in try Row.fetchAll(db, sql: "SELECT id, identity FROM transfer") {
            let (id, identity): (Int64, String) = (row["id"], row["identity"])
            try update.execute(arguments: [StoredIdentity(identity).text, id])
        }
        try db.execute(
            sql: """
                CREATE UNIQUE INDEX transfer_identity ON transfer (identity)
                    WHERE state NOT IN ('completed', 'cancelled')
                """
        )
    }
}
