import FerryCore
import GRDB

/// Faults in the columns by which a transfer is found: its identity, and its UUID.
extension StoreView {
    /// The fault of a transfer whose identity does not match its URL and destination. A completed or cancelled transfer
    /// keeps the identity that was computed with its secrets; the secrets are gone.
    func misidentified(_ transfer: Transfer) throws -> Contradiction? {
        let identity = StoredIdentity.unfinished(transfer.work)
        let isRight = try BareStatement(Self.isIdentified, on: db).first(
            { values in
                values.add(identity?.number)
                values.add(identity?.digest)
                values.add(transfer.id.rawValue)
            },
            codec: codec
        ) { try $0.integer(0) != 0 }
        guard isRight == false else { return nil }
        return Contradiction(
            transfer: transfer.id,
            kind: .identity,
            problem: "transfer \(transfer.id) is not found by its URL and destination"
        )
    }

    /// Transfers that are not found by their UUID.
    func misnamed() throws -> [Contradiction] {
        let cursor = try Row.fetchCursor(db, sql: "SELECT id, uuid, is_given FROM work")
        var found: [Contradiction] = []
        while found.count < Self.mostFaults, let row = try cursor.next() {
            let reader = ColumnReader<Int>(row: row, codec: codec)
            // The search for damaged rows reports unreadable ones.
            let columns = Result {
                (try reader.integer(0), try reader.optionalBytes(1), try reader.integer(2))
            }
            guard case .success(let (id, bytes, isGiven)) = columns,
                let uuid = bytes.flatMap(TransferUUID.init(bytes:)),
                isGiven != (uuid.number.rawValue == id ? 0 : 1)
            else { continue }
            found.append(
                Contradiction(
                    transfer: TransferID(rawValue: id),
                    kind: .uuid,
                    problem: "transfer \(id) is not found by its UUID"
                )
            )
        }
        return found
    }

    private static let isIdentified = "SELECT identity IS ?1 AND digest IS ?2 FROM work WHERE id = ?3"
}

extension StoreTransaction {
    /// Records the identity of a transfer again.
    func identify(_ transfer: Transfer) throws {
        let identity = StoredIdentity.unfinished(transfer.work)
        try BareStatement("UPDATE work SET identity = ?, digest = ? WHERE id = ?", on: db).execute { values in
            values.add(identity?.number)
            values.add(identity?.digest)
            values.add(transfer.id.rawValue)
        }
    }

    /// Records again whether a UUID contains the number of its transfer. A transfer that has the UUID of another
    /// transfer gets a new one.
    func rename(_ transfer: Transfer) throws {
        var uuid = transfer.uuid
        if let other = try number(of: uuid), other != transfer.id {
            var random = SystemRandomNumberGenerator()
            uuid = TransferUUIDSequence(at: transfer.added, using: &random).uuid(of: transfer.id)
        }
        try BareStatement("UPDATE work SET uuid = ?, is_given = ? WHERE id = ?", on: db).execute { values in
            values.add(uuid.bytes)
            values.add(uuid.number != transfer.id)
            values.add(transfer.id.rawValue)
        }
        // The remembered request has the former UUID.
        try BareStatement("UPDATE transfer SET revision = revision + 1 WHERE id = ?", on: db).execute {
            $0.add(transfer.id.rawValue)
        }
    }
}
