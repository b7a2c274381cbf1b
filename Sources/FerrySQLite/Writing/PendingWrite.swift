import FerryCore
import Synchronization

/// A write that waits for its commit.
protocol PendingWrite: AnyObject, Sendable {
    /// The durability that the commit needs, as known beforehand.
    var durability: Durability { get }
    /// The owner whose attempt writes; `nil` for every other write.
    var attemptOwner: OwnerID? { get }
    /// Runs it inside a transaction; may run more than once, when a commit is repeated.
    func run(in transaction: StoreTransaction) throws
    /// Tells the caller that the commit has happened, or why not. Called exactly once.
    func finish(_ error: StoreError?)
}

/// A caller's write: its body, its value, and its completion.
final class Submission<Value: Sendable>: PendingWrite {
    let durability: Durability
    let attemptOwner: OwnerID?
    private let body: @Sendable (StoreTransaction) throws -> Value
    private let value: Mutex<Value?>
    private let completion: @Sendable (Result<Value, StoreError>) -> Void

    /// Creates a submission; `completion` is called once, after the commit.
    init(
        _ durability: Durability,
        by attemptOwner: OwnerID?,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value,
        completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
    ) {
        self.durability = durability
        self.attemptOwner = attemptOwner
        self.body = body
        self.completion = completion
        value = Mutex(nil)
    }

    func run(in transaction: StoreTransaction) throws {
        let result = try body(transaction)
        value.withLock { $0 = result }
    }

    func finish(_ error: StoreError?) {
        if let error { return completion(.failure(error)) }
        guard let value = value.withLock({ $0 }) else {
            preconditionFailure("I3: a write is acknowledged that has not been run")
        }
        completion(.success(value))
    }
}
