/// What one transaction of a write came to.
enum WriteStep<Value: Sendable>: Sendable {
    /// The write is done.
    case done(Value)
    /// There was so much to note beforehand that nothing else was done yet. The write is to be run again: others may write
    /// in between.
    case unfinished
}
