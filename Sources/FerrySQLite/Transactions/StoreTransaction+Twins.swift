import FerryCore
import GRDB

/// The transfers of one identity. At most one is not over; any number may have failed.
extension StoreTransaction {
    /// The transfer with an identity that is not over, and the name of its state.
    func living(identity: StoredIdentity) throws -> (id: TransferID, state: String)? {
        try BareStatement(StoreView.living, on: db).first({ $0.add(identity.bytes) }, codec: codec) {
            (TransferID(rawValue: try $0.integer(0)), try $0.text(1))
        }
    }

    /// The transfer that represents an identity: the one that is not over, or else the latest failed one.
    /// Runs for each added transfer.
    func twin(identity: StoredIdentity) throws -> TransferID? {
        if let living = try living(identity: identity) { return living.id }
        return try BareStatement(StoreView.latestFailed, on: db).first(
            { $0.add(identity.bytes) },
            codec: codec
        ) {
            TransferID(rawValue: try $0.integer(0))
        }
    }

    /// Throws when a change would leave two transfers of one identity that are not over.
    ///
    /// - Parameter former: the transfer before the change.
    func checkTwin(of transfer: Transfer, formerly former: Transfer) throws {
        guard transfer.mayHaveMetTwin(since: former),
            let identity = StoredIdentity.unfinished(transfer.work),
            let twin = try living(identity: identity), twin.id != transfer.id
        else { return }
        throw Transfer.refusal(of: former, besides: twin)
    }
}
