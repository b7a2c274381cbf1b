/// Two transfers with one identity (``DownloadSpecification/identity``) are twins. Two unfinished transfers are never
/// twins; a failed one may exist beside an unfinished one.
extension Transfer {
    /// Whether a change of this transfer may have made it the twin of an unfinished one, so that a store must check.
    ///
    /// - Parameter former: the transfer before the change.
    package func mayHaveMetTwin(since former: Transfer) -> Bool {
        guard !state.isFinal else { return false }
        return former.state.isFinal
            || !former.work.asksForTheSame(as: work) && former.work.identity != work.identity
    }

    /// Returns why this transfer may not become the twin of an unfinished one.
    ///
    /// - Parameters:
    ///   - twin: the number of the other transfer, and its state.
    ///   - former: this transfer before the change.
    package static func refusal(
        of former: Transfer,
        besides twin: (id: TransferID, state: TransferState.Name)
    ) -> StoreError {
        let (id, other) = (former.id, twin.id)
        guard former.state.isFinal else {
            return .notPossible(
                id,
                "Transfer \(id) would be the same \(former.kind.rawValue) as transfer \(other), which is \(twin.state).",
                [.cancelFirst(other), .callAgain, .cancel]
            )
        }
        return .notPossible(
            id,
            "Transfer \(id) has \(former.state.name), and transfer \(other) is the same \(former.kind.rawValue) and is \(twin.state).",
            [.resumeOther(other), .remove]
        )
    }
}
