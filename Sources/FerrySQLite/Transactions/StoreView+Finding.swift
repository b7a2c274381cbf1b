import FerryCore
import Foundation
import GRDB

/// Finds transfers by what they fetch or have saved, each by its own index.
extension StoreView {
    /// The transfers with an identity that still count, in order of their numbers.
    func transfers(like specification: DownloadSpecification) throws -> [Transfer] {
        let (open, over) = (
            StoredIdentity(specification.identity), StoredIdentity(specification.completedIdentity)
        )
        let wanted = [
            (Self.living, open), (Self.latestFailed, open), (Self.latestCompleted, over),
            (Self.latestCancelled, over),
        ]
        let ids = try wanted.compactMap { sql, identity in
            try BareStatement(sql, on: db).first({ $0.add(identity.bytes) }, codec: codec) {
                TransferID(rawValue: try $0.integer(0))
            }
        }
        return try ids.sorted().compactMap { try readableTransfer($0) }
    }

    /// The latest completed transfer that saved a file.
    func completed(saving file: SavedFile) throws -> Transfer? {
        let (sql, trace) =
            switch file {
            case .path(let path): (Self.savedPath, StoredTrace(path: path))
            case .digest(let digest): (Self.savedDigest, StoredTrace(digest: digest))
            }
        let ids = try Int64.fetchCursor(db.cachedStatement(sql: sql), arguments: [trace.number])
        while let id = try ids.next() {
            // Another file may have the same trace.
            if let transfer = try readableTransfer(TransferID(rawValue: id)), transfer.saved(file) {
                return transfer
            }
        }
        return nil
    }

    /// The transfer with a UUID.
    func transfer(uuid: TransferUUID) throws -> Transfer? {
        try transfer(Self.byUUID) { $0.add(Data(uuid.bytes)) }
    }

    /// The latest transfer with a tag.
    func latest(tagged tag: TransferTag) throws -> Transfer? {
        try transfer(Self.latestTagged) { $0.add(tag.text) }
    }

    private func transfer(
        _ sql: String,
        _ bind: (inout StatementBinder) throws -> Void
    ) throws -> Transfer? {
        let id = try BareStatement(sql, on: db).first(bind, codec: codec) {
            TransferID(rawValue: try $0.integer(0))
        }
        return try id.flatMap { try transfer($0) }
    }

    static let byUUID = "SELECT id FROM transfer WHERE uuid = ?"

    static let latestTagged =
        "SELECT id FROM transfer INDEXED BY transfer_tag WHERE tag = ? ORDER BY id DESC LIMIT 1"

    /// The transfer that is not over, and its state.
    static let living = """
        SELECT id, state FROM transfer INDEXED BY transfer_identity WHERE identity = ? AND \(StoreSchema.isLiving)
        """

    static let latestFailed = latest("failed")
    static let latestCompleted = latest("completed")
    static let latestCancelled = latest("cancelled")

    /// Names the index. On its own, SQLite would scan all transfers in that state, because they are in order
    /// of their numbers.
    private static func latest(_ state: String) -> String {
        """
        SELECT id FROM transfer INDEXED BY transfer_identity
        WHERE identity = ? AND state = '\(state)' ORDER BY id DESC LIMIT 1
        """
    }

    static let savedPath =
        "SELECT id FROM transfer INDEXED BY transfer_saved_path WHERE saved_path = ? ORDER BY id DESC"

    static let savedDigest =
        "SELECT id FROM transfer INDEXED BY transfer_saved_digest WHERE saved_digest = ? ORDER BY id DESC"
}
