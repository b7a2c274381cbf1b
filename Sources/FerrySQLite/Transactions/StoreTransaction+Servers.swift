import FerryCore
import GRDB

extension StoreTransaction {
    /// Remembers the traits of a server, and forgets those that are too old.
    func remember(_ traits: ServerTraits, of server: Origin, at now: Instant) throws {
        let oldest = now.advanced(by: .zero - ServerTraits.lifetime).milliseconds
        let forget = try db.cachedStatement(sql: "DELETE FROM server WHERE found <= ?")
        try forget.execute(arguments: [oldest])
        let remember = try db.cachedStatement(
            sql: """
                INSERT INTO server (origin, traits, found) VALUES (?, ?, ?)
                ON CONFLICT (origin) DO UPDATE SET traits = excluded.traits, found = excluded.found
                """
        )
        try remember.execute(arguments: [
            server.description, try codec.texts.encodeJSON(traits), now.milliseconds,
        ])
    }
}
