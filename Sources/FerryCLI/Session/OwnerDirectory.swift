import Ferry
import Glibc

/// Which process each owner of the store is, as far as it is alive.
struct OwnerDirectory: Sendable {
    private var processes: [OwnerID: Int32] = [:]
    private var own: Set<OwnerID> = []

    /// A directory of nobody.
    init() {}

    /// Reads the owners of a store.
    init(_ engine: TransferEngine) async throws(StoreError) {
        for owner in try await engine.owners() where engine.isAlive(owner) {
            processes[owner.id] = owner.process.pid
            if owner.process.pid == getpid() { own.insert(owner.id) }
        }
    }

    /// A directory for tests.
    init(processes: [OwnerID: Int32], own: Set<OwnerID> = []) {
        self.processes = processes
        self.own = own
    }

    /// The process that runs a transfer or keeps it for itself; `nil` when nobody alive does.
    func process(of transfer: Transfer) -> Int32? {
        transfer.claim.flatMap { processes[$0.owner] }
    }

    /// The other process that runs a transfer; `nil` when it is this one or nobody.
    func otherProcess(of transfer: Transfer) -> Int32? {
        guard let claim = transfer.claim, !own.contains(claim.owner) else { return nil }
        return processes[claim.owner]
    }

    /// Whether an owner is known to this directory.
    func knows(_ owner: OwnerID) -> Bool { processes[owner] != nil }
}
