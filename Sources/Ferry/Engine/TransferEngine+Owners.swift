package import FerryCore

extension TransferEngine {
    /// How an owner came to its end, given that its process is dead.
    package func end(of owner: Owner) -> OwnerEnd { seams.host.end(of: owner.process) }
}
