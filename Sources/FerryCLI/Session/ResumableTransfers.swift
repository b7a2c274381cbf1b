import Ferry
import FerryFrontend

/// The transfers that `ferry resume` can resume: unfinished, and run by no live process.
struct ResumableTransfers: Sendable {
    /// The transfers, in the order of their IDs.
    var transfers: [Transfer]

    /// Number of other unfinished transfers, which run in another process.
    var elsewhere = 0

    /// Maximum transfers listed before the question.
    static let mostListed = 20

    init(_ transfers: [Transfer]) {
        self.transfers = transfers
    }

    /// Finds these transfers in the store.
    ///
    /// - Parameter takingOver: whether a process that cannot be proved alive or dead counts as gone.
    init(_ engine: some TransferAccess, takingOver: Bool) async throws {
        let owners = try await OwnerDirectory(engine)
        var found: [Transfer] = []
        var elsewhere = 0
        for try await transfer in engine.transfers(.unfinished) {
            let isFree =
                owners.process(of: transfer) == nil
                || takingOver && owners.unprovedOwner(of: transfer) != nil
            if !isFree {
                elsewhere += 1
            } else if !transfer.isStandardOutput {
                found.append(transfer)
            }
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
        return
            "Resume \(transfers.count) unfinished \(noun)\(amount)? [Y/n\(transfers.count == 1 ? "" : ", or IDs")]"
    }

    /// The transfers that an answer to the question chooses: all, none, or those with the given IDs.
    ///
    /// - Throws: ``CommandFailure`` for any other answer.
    func chosen(by answer: String) throws(CommandFailure) -> [TransferID] {
        let words = answer.lowercased().split { $0.isWhitespace || $0 == "," }
        switch words {
        case [], ["y"], ["yes"]: return transfers.map(\.id)
        case ["n"], ["no"]: return []
        default: break
        }
        let ids = Set(transfers.map(\.id))
        let chosen = words.compactMap { Int64($0).map { TransferID(rawValue: $0) } }.filter(ids.contains)
        guard chosen.count == words.count else {
            throw .usage(
                "The answer is neither y nor n, nor IDs of the listed transfers; nothing was resumed.",
                hint: "`ferry resume ID…` resumes some, `ferry resume --all` all of them."
            )
        }
        return chosen
    }
}
