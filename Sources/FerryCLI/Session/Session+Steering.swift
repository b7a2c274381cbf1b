import Ferry
import FerryFrontend

extension Session {
    /// Reports a steered transfer: as JSON, or in a line.
    func steered(_ transfer: Transfer, _ text: String, owners: OwnerDirectory) {
        if console.appearance.json {
            console.data(.object(TransferRecord.full(transfer, transfer.recordedProgress, owners: owners)))
        } else {
            let name = transfer.displayName
            console.notice("Transfer \(transfer.id), \(name): \(text)", keeping: [name])
        }
    }

    /// Maximum transfers that have a line each.
    private static let mostNamed = 10

    /// Whether transfers are counted in one line. A person does not read hundreds of lines.
    func sumsUp(_ ids: [TransferID]) -> Bool { ids.count > Self.mostNamed && !console.appearance.json }

    /// Reports that a selection has no transfers.
    func nothingToDo(_ ids: [TransferID]) {
        if ids.isEmpty { console.notice("No matching transfers.") }
    }

    /// The text for a wish that was recorded for the process that will obey it.
    static func pending(_ transfer: Transfer, _ owners: OwnerDirectory, done: String, asked: String) -> String
    {
        guard transfer.wish != nil else { return done }
        if let owner = owners.unprovedOwner(of: transfer) {
            return "\(asked) by \(KeptTransfers.name(owner)), if it still runs. "
                + "If it is gone, `ferry resume --detach --take-over \(transfer.id)` frees the transfer and keeps its "
                + "bytes; then repeat this command."
        }
        return owners.process(of: transfer).map { "\(asked) by process \($0)." } ?? "\(asked)."
    }
}
