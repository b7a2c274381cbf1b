/// The result of one transaction of a write.
enum WriteStep<Value: Sendable>: Sendable {
    /// The write is done.
    case done(Value)
    /// Preparations filled the transaction. Run the write again; others may write in between.
    case unfinished
    /// A deadline has passed. Run the write again when the transfers that it concerns have failed.
    case overdue
}
