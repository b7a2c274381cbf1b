import FerryCore
import GRDB

/// Finds transfers by identity, saved file, UUID or tag, each with its own index.
extension StoreView {
    /// The transfers with an identity that still count, in order of their numbers.
    func transfers(like work: Work) throws -> [Transfer] {
        guard let open = StoredIdentity.unfinished(work) else { return [] }
        var wanted = [(Self.living, open), (Self.latestFailed, open)]
        if let over = StoredIdentity.completed(work) {
            wanted += [(Self.latestCompleted, over), (Self.latestCancelled, over)]
        }
        let ids = try wanted.compactMap { sql, identity in try number(sql) { $0.add(identity) } }
        return try ids.sorted().compactMap { try readableTransfer($0) }
    }

    /// The latest completed transfer that saved a file.
    func completed(saving file: SavedFile) throws -> Transfer? {
        let (sql, trace) =
            switch file {
            case .path(let path): (Self.savedPath, StoredTrace(path: path))
            case .digest(let digest): (Self.savedDigest, StoredTrace(digest: digest))
            }
        return try BareStatement(sql, on: db).firstMap({ $0.add(trace.number) }, codec: codec) { found in
            let id = TransferID(rawValue: try found.integer(0))
            let transfer = try codec.damage.reading(id) { try row(id, by: TransferRow.fromEnded)?.transfer }
            // Another file may have the same key.
            return transfer?.saved(file) == true ? transfer : nil
        }
    }

    /// The number of the transfer with a UUID.
    func number(of uuid: TransferUUID) throws -> TransferID? {
        try number(Self.byUUID) { values in
            values.add(uuid.bytes)
            values.add(uuid.number.rawValue)
        }
    }

    /// The latest transfer with a tag.
    func latest(tagged tag: TransferTag) throws -> Transfer? {
        try number(Self.latestTagged) { $0.add(tag.text) }.flatMap { try transfer($0) }
    }

    private func number(
        _ sql: String,
        _ bind: (inout StatementBinder) throws -> Void
    ) throws -> TransferID? {
        try BareStatement(sql, on: db).first(bind, codec: codec) {
            TransferID(rawValue: try $0.integer(0))
        }
    }

    /// A UUID that a store has made contains the transfer's number.
    static let byUUID = """
        SELECT id FROM work WHERE id = ?2 AND uuid = ?1
        UNION ALL SELECT id FROM work INDEXED BY work_uuid WHERE uuid = ?1 AND is_given = 1 LIMIT 1
        """

    static let latestTagged =
        "SELECT id FROM work INDEXED BY work_tag WHERE tag = ? ORDER BY id DESC LIMIT 1"

    /// The failed and unfinished transfers with an identity, latest first, and whether each is unfinished.
    ///
    /// Names the index and fixes the order of the join: otherwise SQLite scans all transfers in a state, which are already
    /// in order of their numbers.
    static let unfetched = """
        SELECT work.id, \(StoreSchema.isLiving) FROM work INDEXED BY work_identity
        CROSS JOIN transfer ON transfer.id = work.id AND \(StoreSchema.isNotOver)
        WHERE identity = ? AND digest = ? ORDER BY work.id DESC
        """

    /// The unfinished transfer with an identity, and its state.
    static let living = """
        SELECT work.id, state FROM work INDEXED BY work_identity CROSS JOIN transfer ON transfer.id = work.id
        WHERE identity = ? AND digest = ? AND \(StoreSchema.isLiving)
        """

    static let latestFailed = latest(.failed)
    static let latestCompleted = latest(.completed)
    static let latestCancelled = latest(.cancelled)

    private static func latest(_ state: TransferState.Name) -> String {
        """
        SELECT work.id FROM work INDEXED BY work_identity
        LEFT JOIN transfer ON transfer.id = work.id LEFT JOIN ended ON ended.id = work.id
        WHERE identity = ? AND digest = ? AND coalesce(transfer.state, ended.state) = '\(state)' ORDER BY work.id DESC LIMIT 1
        """
    }

    static let savedPath =
        "SELECT id FROM ended INDEXED BY ended_saved_path WHERE saved_path = ? ORDER BY id DESC"

    static let savedDigest =
        "SELECT id FROM ended INDEXED BY ended_saved_digest WHERE saved_digest = ? ORDER BY id DESC"
}
