import GRDB

/// Which tables have rows that the end of a transfer may change. Most stores have none in these tables, and one
/// statement in each transaction shows it for all transfers that end.
///
/// It belongs to one transaction, and lives on the writer's queue only.
final class TransferTies {
    /// The tables, by what ties their rows to a transfer.
    struct Kind: OptionSet {
        let rawValue: Int64
        /// Nodes that a transfer downloads.
        static let nodes = Kind(rawValue: 1)
        /// Entries of pools that wait for a transfer.
        static let entries = Kind(rawValue: 2)
        /// Transfers that come after another one.
        static let dependents = Kind(rawValue: 4)
    }

    private let db: Database
    private let codec: RowCodec
    /// The tables that have such rows; `nil` while it is not known.
    private var present: Kind?

    init(_ db: Database, codec: RowCodec) {
        (self.db, self.codec) = (db, codec)
    }

    /// Whether any transfer may have such a tie. If none has, there is nothing to look for.
    func mayBe(_ kind: Kind) throws -> Bool {
        if let present { return present.contains(kind) }
        let found = try BareStatement(Self.look, on: db).first({ _ in }, codec: codec) { row in
            Kind(rawValue: try row.integer(0))
        }
        present = found
        return found?.contains(kind) ?? true
    }

    /// Notes that such a row was stored.
    func note(_ kind: Kind) {
        present?.insert(kind)
    }

    /// Forgets what was found, because a write was undone: rows that it had deleted are there again.
    func forget() {
        present = nil
    }

    private static let look = """
        SELECT EXISTS (SELECT 1 FROM node_transfer)
            + 2 * EXISTS (SELECT 1 FROM entry INDEXED BY entry_awaited WHERE awaited IS NOT NULL)
            + 4 * EXISTS (SELECT 1 FROM dependency)
        """
}
