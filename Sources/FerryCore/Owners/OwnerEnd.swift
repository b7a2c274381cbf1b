/// How an owner ended, and what that means for its transfers.
package enum OwnerEnd: Hashable, Sendable, CaseIterable {
    /// It left by itself.
    case left
    /// Its process died: one of its running transfers may have killed it.
    case died
    /// The machine was rebooted, for which no transfer is to blame.
    case rebooted
}
