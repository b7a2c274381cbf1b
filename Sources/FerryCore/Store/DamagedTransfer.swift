/// A transfer's row that cannot be read.
public struct DamagedTransfer: Hashable, Sendable, Identifiable {
    /// Its number.
    public let id: TransferID
    /// What is wrong with it, in words; never contains a secret (I7).
    public let problem: String

    /// Creates a description.
    public init(id: TransferID, problem: String) {
        self.id = id
        self.problem = problem
    }
}
