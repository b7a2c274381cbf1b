import FerryCore
import Synchronization

/// A write that waits for its commit.
///
/// Its type does not depend on the value that the caller gets: the closures hold the value. Each use of a generic class
/// would look up its type.
final class PendingWrite: Sendable {
    /// The durability that the commit needs, as known beforehand.
    let durability: Durability
    /// The owner whose attempt writes; `nil` for every other write.
    let attemptOwner: OwnerID?
    private let body: @Sendable (StoreTransaction) throws -> @Sendable () -> Void
    private let refuse: @Sendable (StoreError) -> Void
    /// What the latest run of the body has returned.
    private let acknowledge = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates a write.
    ///
    /// - Parameters:
    ///   - body: writes; returns what tells the caller after the commit.
    ///   - refuse: tells the caller why there is no commit.
    init(
        _ durability: Durability,
        by attemptOwner: OwnerID?,
        _ body: @escaping @Sendable (StoreTransaction) throws -> @Sendable () -> Void,
        refuse: @escaping @Sendable (StoreError) -> Void
    ) {
        self.durability = durability
        self.attemptOwner = attemptOwner
        self.body = body
        self.refuse = refuse
    }

    /// Runs it inside a transaction; may run more than once, when a commit is repeated.
    func run(in transaction: StoreTransaction) throws {
        let acknowledge = try body(transaction)
        self.acknowledge.withLock { $0 = acknowledge }
    }

    /// Tells the caller that the commit has happened, or why not. Called exactly once.
    func finish(_ error: StoreError?) {
        if let error { return refuse(error) }
        guard let acknowledge = acknowledge.withLock({ $0 }) else {
            preconditionFailure("I3: a write is acknowledged that has not been run")
        }
        acknowledge()
    }
}
