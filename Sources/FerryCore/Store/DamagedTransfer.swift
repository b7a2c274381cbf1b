/// A transfer's row that cannot be read.
public struct DamagedTransfer: Hashable, Sendable, Identifiable {
    /// Its number.
    public let id: TransferID
    /// What is wrong with it, in words; never contains a secret (I7).
    public let problem: String
    /// Whether nothing is wrong with it, except that a newer Ferry added it and only a newer one can run it.
    public let isOfNewerFerry: Bool

    /// Creates a description.
    public init(id: TransferID, problem: String, isOfNewerFerry: Bool = false) {
        self.id = id
        self.problem = problem
        self.isOfNewerFerry = isOfNewerFerry
    }
}

extension DamagedTransfer {
    /// Why the row of a transfer cannot be read; `nil` for any other error.
    package init?(_ id: TransferID, _ error: StoreError) {
        guard let problem = error.damage else { return nil }
        let isOfNewerFerry = if case .newerTransfer = error { true } else { false }
        self.init(id: id, problem: problem, isOfNewerFerry: isOfNewerFerry)
    }
}
