import Ferry
import FerryFrontend

/// The transfers that `ferry resume` can resume: unfinished, and run by no live process.
struct Incomplete: Sendable {
    /// The transfers, in the order of their IDs.
    var transfers: [Transfer]

    /// Number of other unfinished transfers, which run in another process.
    var elsewhere = 0

    /// Maximum transfers listed before the question.
    static let mostListed = 20

    init(_ transfers: [Transfer]) {
        self.transfers = transfers
    }

    /// Finds them.
    ///
    /// - Parameter takingOver: whether a process that is neither seen to live nor to be dead counts as gone.
    init(_ engine: some TransferAccess, takingOver: Bool) async throws {
        let owners = try await OwnerDirectory(engine)
        var found: [Transfer] = []
        var elsewhere = 0
        try await engine.forEachTransfer(.unfinished) { transfer in
            let isFree =
                owners.process(of: transfer) == nil
                || takingOver && owners.unprovedOwner(of: transfer) != nil
            if !isFree {
                elsewhere += 1
            } else if !transfer.isStandardOutput {
                found.append(transfer)
            }
            return true
        }
        transfers = found
        self.elsewhere = elsewhere
    }

    /// "Resume 3 unfinished transfers (1.2 GiB left)? [Y/n]"
    var question: String {
        let noun = transfers.count == 1 ? "transfer" : "transfers"
        let rests = transfers.compactMap { transfer in
            transfer.recordedProgress.total.map { max(0, $0 - transfer.recordedProgress.received) }
        }
        let left = ByteCount(rests.reduce(Int64(0)) { $0.addingSaturated($1) }).formatted
        let amount =
            switch rests.count {
            case 0: ""
            case transfers.count: " (\(left) left)"
            default: " (at least \(left) left)"
            }
        return "Resume \(transfers.count) unfinished \(noun)\(amount)? [Y/n]"
    }
}
