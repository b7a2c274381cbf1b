import FerryCore

/// The search for the transfer that claims a file.
struct ClaimSearch {
    let store: any TransferStore

    /// The states of all transfers that have not completed.
    static let notCompleted = TransferState.Name.allCases.filter { $0 != .completed }

    /// What a search has found.
    enum Claimant: Sendable {
        /// No transfer claims any of the files.
        case none
        /// This transfer claims one of them.
        case transfer(Transfer)
        /// There are more transfers than were to be looked through.
        case unknown
    }

    /// Finds the transfer that has not ended and claims one of these files.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - id: a transfer whose claims do not count.
    ///   - states: the states of the transfers that are looked through.
    ///   - most: the maximum number of transfers to look through.
    func claimant(
        of files: [FileSurvey.Entry],
        besides id: TransferID? = nil,
        in states: [TransferState.Name] = ClaimSearch.notCompleted,
        lookingThrough most: Int = .max
    ) async throws(StoreError) -> Claimant {
        guard !files.isEmpty else { return .none }
        var (last, looked): (TransferID?, Int) = (nil, 0)
        while looked < most {
            let page = try await store.transfers(.states(states), after: last, limit: ClientSeams.pageLength)
            for transfer in page where transfer.id != id {
                guard case .partFile(_, let claim)? = transfer.work.residue else { continue }
                if files.contains(where: { $0.identity.isSameFile(as: claim.identity) }) {
                    return .transfer(transfer)
                }
            }
            guard page.count == ClientSeams.pageLength else { return .none }
            looked += page.count
            last = page.last?.id
        }
        return .unknown
    }
}
