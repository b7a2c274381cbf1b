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

    /// "Resume 3 unfinished transfers (1.2 GiB left)? [Y/n, or IDs]", in lines of at most `columns` columns.
    func question(columns: Int) -> String {
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
        let answers = transfers.count == 1 ? "[Y/n]" : "[Y/n, or IDs]"
        return TerminalText.wrapped(
            "Resume \(transfers.count) unfinished \(noun)\(amount)? \(answers)",
            to: columns,
            indent: 7,
            keeping: [answers]
        )
    }

    /// What is said of an answer that ``chosen(by:)`` cannot read.
    var help: String {
        let all = transfers.count == 1 ? "it" : "all of them"
        let some = transfers.count == 1 ? "" : ", or IDs of the listed transfers, such as \(transfers[0].id)"
        return "Type y to resume \(all), n to resume nothing\(some)."
    }

    /// Asks until an answer can be read.
    ///
    /// - Parameter ask: says what is wrong with the answer before, if there was one, asks the question, and returns the answer;
    ///   `nil` at the end of the input.
    /// - Returns: the chosen transfers; none at the end of the input.
    func chosen(asking ask: (_ help: String?) async -> String?) async -> [TransferID] {
        var help: String?
        while let answer = await ask(help) {
            if let chosen = self.chosen(by: answer) { return chosen }
            help = self.help
        }
        return []
    }

    /// The transfers that an answer to the question chooses: all, none, or those with the given IDs; `nil` for any other answer.
    func chosen(by answer: String) -> [TransferID]? {
        let words = answer.lowercased().split { $0.isWhitespace || $0 == "," }
        switch words {
        case [], ["y"], ["yes"]: return transfers.map(\.id)
        case ["n"], ["no"]: return []
        default: break
        }
        let ids = Set(transfers.map(\.id))
        let chosen = words.compactMap { Int64($0).map { TransferID(rawValue: $0) } }.filter(ids.contains)
        return chosen.count == words.count ? chosen : nil
    }
}
