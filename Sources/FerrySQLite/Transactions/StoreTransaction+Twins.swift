import FerryCore
import GRDB

/// The transfers of one identity. At most one of them is unfinished; any number may have failed.
extension StoreTransaction {
    /// The unfinished transfer with the same work, and its state.
    func living(like work: Work) throws -> (id: TransferID, state: TransferState.Name)? {
        guard let identity = StoredIdentity.unfinished(work) else { return nil }
        return try BareStatement(StoreView.living, on: db).first({ $0.add(identity) }, codec: codec) {
            (TransferID(rawValue: try $0.integer(0)), stateName(reading: try $0.text(1)))
        }
    }

    /// The latest completed transfer with the same work.
    func completed(like work: Work) throws -> Transfer? { try view.completed(like: work) }

    /// The transfer that represents an identity: the unfinished one, or else the latest failed one. Runs for each added
    /// transfer.
    func twin(identity: StoredIdentity) throws -> TransferID? {
        var failed: TransferID?
        let living = try BareStatement(StoreView.unfetched, on: db).firstMap(
            { $0.add(identity) },
            codec: codec
        ) { row in
            let id = TransferID(rawValue: try row.integer(0))
            if try row.integer(1) != 0 { return id }
            failed = failed ?? id
            return nil
        }
        return living ?? failed
    }
}
