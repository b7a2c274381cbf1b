package import FerryCore

extension TransferEngine {
    /// How an owner ended, given that its process is dead.
    package func end(of owner: Owner) -> OwnerEnd { seams.host.end(of: owner.process) }
}
