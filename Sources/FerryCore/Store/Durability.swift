/// What a commit must survive.
package enum Durability: Hashable, Sendable, Comparable {
    /// The death of the process.
    case process
    /// The loss of power.
    case power
}
